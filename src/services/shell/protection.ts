import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { extname, join, relative, resolve, sep } from 'node:path';
import { isInside } from './inside.js';
import type { Missing } from './placeholders.js';

/** How a path of the workspace lies in the sandbox. `empty` is a file that does not exist and must not come to be. */
export type Access = 'writable' | 'fixed' | 'empty';

export interface Protection {
  /** Parents first. */
  readonly paths: ReadonlyMap<string, Access>;
  /** What has to be made, so that something can lie on it. Parents first. */
  readonly missing: readonly Missing[];
}

interface Plan {
  readonly root: string;
  readonly held: ReadonlySet<string>;
  readonly paths: Map<string, Access>;
  readonly missing: Missing[];
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
  const plan: Plan = { root, held, paths: new Map([[root, 'writable']]), missing: [] };
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
    if (found === undefined || isPlaceholder(plan, current, found))
      return protectMissing(plan, current, names.slice(index + 1));
    if (found.isSymbolicLink()) return isFollowed ? undefined : protectTarget(plan, path);
    const isLast = index === names.length - 1;
    // A file on the way, such as the `.git` of a worktree, is what the path hangs on.
    if (isLast || !found.isDirectory()) return fix(plan, current);
    if (!plan.paths.has(current)) plan.paths.set(current, 'writable');
  }
}

/** One that was filled is real by now. */
function isPlaceholder(plan: Plan, path: string, found: Stats): boolean {
  if (!plan.held.has(path)) return false;
  return found.isDirectory() || (found.isFile() && found.size === 0);
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

/** Not below a `.git` that does not exist: that would forbid `git init`. */
function protectMissing(plan: Plan, first: string, rest: readonly string[]): void {
  if (first.endsWith(`${sep}.git`)) return;
  let current = first;
  for (const name of rest) {
    add(plan, current, 'folder', 'writable');
    current = join(current, name);
  }
  if (extname(current) === '') add(plan, current, 'folder', 'fixed');
  else add(plan, current, 'file', 'empty');
}

function add(plan: Plan, path: string, kind: Missing['kind'], access: Access): void {
  if (plan.paths.has(path)) return;
  plan.paths.set(path, access);
  plan.missing.push({ path, kind });
}
