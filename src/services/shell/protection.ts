import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isInside } from './inside.js';

/** How a path of the workspace lies in the sandbox. */
export type Access = 'writable' | 'fixed';

export interface Protection {
  readonly paths: ReadonlyMap<string, Access>;
  /** Folders that have to be made, so that something can lie on them. Parents first. */
  readonly missing: readonly string[];
  /** Files that do not exist, and which nothing keeps from coming to be. */
  readonly absent: readonly string[];
}

interface Plan {
  readonly root: string;
  readonly held: ReadonlySet<string>;
  readonly paths: Map<string, Access>;
  readonly missing: string[];
  readonly absent: string[];
}

/**
 * What has to be mounted so that the protected paths of a root cannot change. Each folder on the way is mounted on
 * itself: a mount point cannot be renamed, so nobody can move the folder away and put another in its place. What is
 * held is there only as placeholder of another command.
 */
export function planProtection(
  root: string,
  protectedPaths: readonly string[],
  held: ReadonlySet<string>,
): Protection {
  const plan: Plan = { root, held, paths: new Map([[root, 'writable']]), missing: [], absent: [] };
  // Short ones first: what lies in a fixed folder is fixed with it.
  const wanted = protectedPaths.map((path) => resolve(root, path)).sort((a, b) => a.length - b.length);
  for (const path of wanted) if (path !== root && isInside(path, root)) protect(plan, path);
  return plan;
}

function protect(plan: Plan, path: string, isFollowed = false): void {
  const names = relative(plan.root, path).split(sep);
  let current = plan.root;
  for (const [index, name] of names.entries()) {
    if (plan.paths.get(current) === 'fixed') return;
    current = join(current, name);
    const found = lstatSync(current, { throwIfNoEntry: false });
    if (found === undefined || plan.held.has(current)) return protectMissing(plan, current, path);
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
    if (real !== plan.root && isInside(real, plan.root)) protect(plan, real, true);
  } catch {
    // It leads nowhere.
  }
}

/**
 * A folder gets a placeholder, which neither git nor agents mind. A file does not: agents take an empty one for a
 * broken configuration, and git for a new file. Nor is there one below a missing `.git`: that would forbid `git init`.
 */
function protectMissing(plan: Plan, first: string, path: string): void {
  if (basename(first) === '.git') return;
  if (!isFolderName(basename(path))) return void plan.absent.push(path);
  const names = relative(dirname(first), path).split(sep);
  for (const index of names.keys()) {
    const current = join(dirname(first), ...names.slice(0, index + 1));
    if (!plan.missing.includes(current)) plan.missing.push(current);
    if (plan.paths.get(current) !== 'fixed') plan.paths.set(current, current === path ? 'fixed' : 'writable');
  }
}

function isFolderName(name: string): boolean {
  return name === 'hooks' || /^\.[^.]+$/.test(name);
}
