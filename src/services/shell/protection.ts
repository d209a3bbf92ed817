import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isInside } from './inside.js';

/** How a path of the workspace is mounted in the sandbox. */
export type Access = 'writable' | 'fixed';

export interface Protection {
  readonly paths: ReadonlyMap<string, Access>;
  /** Folders to create as mount targets. Parents first. */
  readonly missing: readonly string[];
}

interface Plan {
  readonly root: string;
  readonly held: ReadonlySet<string>;
  readonly paths: Map<string, Access>;
  readonly missing: string[];
}

/**
 * Plans the mounts that keep the protected paths of a folder from changing. Mounts each folder on the way on itself: a
 * mount point can't be renamed, so no command can move it away and put another in its place. `held` paths exist only as
 * placeholders of other commands.
 */
export function planProtection(
  root: string,
  protectedPaths: readonly string[],
  held: ReadonlySet<string>,
): Protection {
  const plan: Plan = { root, held, paths: new Map([[root, 'writable']]), missing: [] };
  // Short paths first: a fixed folder also fixes its content.
  const wanted = protectedPaths
    .map((row) => ({ path: resolve(root, row), mustNotBe: row.endsWith('/') }))
    .sort((one, other) => one.path.length - other.path.length);
  for (const place of wanted) if (place.path !== root && isInside(place.path, root)) protect(plan, place);
  return plan;
}

interface Place {
  readonly path: string;
  /** True for a folder that must not even be created. */
  readonly mustNotBe: boolean;
}

function protect(plan: Plan, place: Place, isFollowed = false): void {
  const { path } = place;
  const names = relative(plan.root, path).split(sep);
  let current = plan.root;
  for (const [index, name] of names.entries()) {
    if (plan.paths.get(current) === 'fixed') return;
    current = join(current, name);
    const found = lstatSync(current, { throwIfNoEntry: false });
    if (found === undefined || plan.held.has(current)) return protectMissing(plan, current, place);
    if (found.isSymbolicLink()) return isFollowed ? undefined : protectTarget(plan, path);
    const isLast = index === names.length - 1;
    // The path depends on a parent that is a file, such as the `.git` of a worktree.
    if (isLast || !found.isDirectory()) return fix(plan, current);
    if (!plan.paths.has(current)) plan.paths.set(current, 'writable');
  }
}

function fix(plan: Plan, path: string): void {
  for (const inner of plan.paths.keys())
    if (inner !== path && isInside(inner, path)) plan.paths.delete(inner);
  plan.paths.set(path, 'fixed');
}

/** A mount can't cover a link: protects the target, but not the link. */
function protectTarget(plan: Plan, path: string): void {
  try {
    const real = realpathSync(path);
    if (real !== plan.root && isInside(real, plan.root))
      protect(plan, { path: real, mustNotBe: false }, true);
  } catch {
    // The link is broken.
  }
}

/**
 * A folder gets a placeholder, which git and agents ignore. A file does not: agents take an empty file for a broken
 * configuration, and git for a new file. Nothing is created below a missing `.git`, because that would prevent `git
 * init`.
 */
function protectMissing(plan: Plan, first: string, { path, mustNotBe }: Place): void {
  if (basename(first) === '.git' || !mustNotBe) return;
  const names = relative(dirname(first), path).split(sep);
  for (const index of names.keys()) {
    const current = join(dirname(first), ...names.slice(0, index + 1));
    if (!plan.missing.includes(current)) plan.missing.push(current);
    if (plan.paths.get(current) !== 'fixed') plan.paths.set(current, current === path ? 'fixed' : 'writable');
  }
}
