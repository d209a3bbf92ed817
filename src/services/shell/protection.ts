import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isInside } from './inside.js';

/** How a path of the workspace lies in the sandbox. */
export type Access = 'writable' | 'fixed';

export interface Protection {
  readonly paths: ReadonlyMap<string, Access>;
  /** Folders that have to be made, so that something can lie on them. Parents first. */
  readonly missing: readonly string[];
}

interface Plan {
  readonly root: string;
  readonly held: ReadonlySet<string>;
  readonly paths: Map<string, Access>;
  readonly missing: string[];
}

/**
 * What has to be mounted so that the protected paths of a folder cannot change. Each folder on the way is mounted on
 * itself: a mount point cannot be renamed, so nobody can move the folder away and put another in its place. What is
 * held is there only as placeholder of another command.
 */
export function planProtection(
  root: string,
  protectedPaths: readonly string[],
  held: ReadonlySet<string>,
): Protection {
  const plan: Plan = { root, held, paths: new Map([[root, 'writable']]), missing: [] };
  // Short ones first: what lies in a fixed folder is fixed with it.
  const wanted = protectedPaths
    .map((row) => ({ path: resolve(root, row), mustNotBe: row.endsWith('/') }))
    .sort((one, other) => one.path.length - other.path.length);
  for (const place of wanted) if (place.path !== root && isInside(place.path, root)) protect(plan, place);
  return plan;
}

interface Place {
  readonly path: string;
  /** Whether it is a folder that must not even come to be. */
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
    // A file on the way, such as the `.git` of a worktree, is what the path hangs on.
    if (isLast || !found.isDirectory()) return fix(plan, current);
    if (!plan.paths.has(current)) plan.paths.set(current, 'writable');
  }
}

function fix(plan: Plan, path: string): void {
  for (const inner of plan.paths.keys())
    if (inner !== path && isInside(inner, path)) plan.paths.delete(inner);
  plan.paths.set(path, 'fixed');
}

/** A link cannot be mounted over: what it leads to is kept, the link itself is not. */
function protectTarget(plan: Plan, path: string): void {
  try {
    const real = realpathSync(path);
    if (real !== plan.root && isInside(real, plan.root))
      protect(plan, { path: real, mustNotBe: false }, true);
  } catch {
    // It leads nowhere.
  }
}

/**
 * A folder gets a placeholder, which neither git nor agents mind. A file does not: agents take an empty one for a
 * broken configuration, and git for a new file. Nor is there one below a missing `.git`: that would forbid `git init`.
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
