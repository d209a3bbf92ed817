import type { Patience, ProcessEnd } from '../../ports/processes.js';
import { type GroupSignal, hasGroup, signalGroup, signalProcess } from './group.js';
import { readForkCount } from './fork-count.js';
import {
  findMarked,
  keepRunning,
  listDescendants,
  listRunningMembers,
  readOwnGroup,
  type Stat,
} from './proc-table.js';

export interface Tree {
  /** The direct child, leader of its group. */
  readonly pid: number;
  /** It shares our own group with processes that are not ours to end, so signal each process alone. */
  readonly isInOurGroup: boolean;
  /** Text in the environment of all its descendants. */
  readonly needle: string;
  /** See `ProcessOrder`. */
  readonly fileLimitMark: number | undefined;
  /** When the child started, in ticks since boot; 0 if unknown. */
  readonly since: number;
  /** How many processes the system had started just before the child; undefined if unknown. */
  readonly forksBefore: number | undefined;
  readonly hasExited: () => boolean;
  readonly closeInput: () => void;
  readonly patience: Patience;
  /** Aborted when the reaper takes over; the ladder then stops. */
  readonly released: AbortSignal;
}

export const usualPatience: Patience = { afterInputMs: 500, afterTermMs: 2000 };
const killMs = 1280;
const limitMs = 8000;
const firstPollMs = 10;
const lastPollMs = 160;

/** Close stdin, then TERM, then KILL, for the group and for processes that left it. */
export async function endTree(tree: Tree): Promise<ProcessEnd> {
  const done = new AbortController();
  const released = AbortSignal.any([tree.released, done.signal]);
  const givenUp = nap(limitMs, released).then(() => ({ isGone: false, ended: 0 }));
  // Reading /proc can hang on a process that the kernel blocks, so set a limit.
  const end = await Promise.race([climb({ ...tree, released }), givenUp]);
  done.abort();
  return end;
}

async function climb(tree: Tree): Promise<ProcessEnd> {
  if (wasAlone(tree)) return { isGone: true, ended: 0 };
  // Before stdin closes: a parent that exits takes the link to its children with it. Skip an exited child,
  // because its pid may be reused.
  const descendants = tree.hasExited() ? [] : await listDescendants(tree.pid);
  tree.closeInput();
  await waitUntil(() => isGroupGone(tree), tree.patience.afterInputMs, tree.released);
  const strays = await findStrays(tree, descendants);
  if (tree.released.aborted) return { isGone: false, ended: 0 };
  if ((await isGroupGone(tree)) && strays.length === 0) return { isGone: true, ended: 0 };
  const members = await listRunningMembers(tree.pid);

  signalFirst(tree, 'SIGTERM');
  signalStrays(strays, 'SIGTERM');
  const isAllGone = async () => (await isGroupGone(tree)) && keepRunning(strays).length === 0;
  await waitUntil(isAllGone, tree.patience.afterTermMs, tree.released);

  const isGone = await killUntilGone(async () => {
    const isGroupAway = await isGroupGone(tree);
    if (!isGroupAway) signalFirst(tree, 'SIGKILL');
    return [isGroupAway, await findStrays(tree, strays)];
  }, tree.released);
  const others = members.filter((pid) => pid !== tree.pid);
  return { isGone, ended: others.length + strays.length };
}

/** Whether the child exited and started no other process: true for most commands, and saves the search. */
function wasAlone({ forksBefore, hasExited }: Tree): boolean {
  return forksBefore !== undefined && hasExited() && readForkCount() === forksBefore + 1;
}

/** The same ladder for the children of a dead gateway: only their marks are known. */
export async function endMarked(needle: string, released: AbortSignal): Promise<number> {
  const marked = await findMarked(needle);
  if (marked.length === 0) return 0;
  signalStrays(marked, 'SIGTERM');
  await waitUntil(async () => keepRunning(marked).length === 0, usualPatience.afterTermMs, released);
  await killUntilGone(async () => [true, await findMarked(needle)], released);
  return marked.length;
}

/**
 * Several rounds, because a process may fork while the table is read. Bounded, because some cannot be killed.
 */
async function killUntilGone(
  look: () => Promise<readonly [isGroupGone: boolean, strays: readonly Stat[]]>,
  released: AbortSignal,
): Promise<boolean> {
  const end = performance.now() + killMs;
  for (let poll = firstPollMs; !released.aborted; poll = Math.min(poll * 2, lastPollMs)) {
    const [isGone, strays] = await look();
    if (isGone && strays.length === 0) return true;
    signalStrays(strays, 'SIGKILL');
    if (performance.now() > end) return false;
    await nap(poll, released);
  }
  return false;
}

function signalFirst({ pid, isInOurGroup, hasExited }: Tree, signal: GroupSignal): void {
  if (!isInOurGroup) signalGroup(pid, signal);
  else if (!hasExited()) signalProcess(pid, signal);
}

/**
 * Signals their groups too: only descendants of the same child can join them. Never our own group, which
 * holds our parent.
 */
function signalStrays(strays: readonly Stat[], signal: GroupSignal): void {
  const own = readOwnGroup();
  const groups = new Set(strays.map(({ group }) => group).filter((group) => group !== own));
  for (const group of groups) signalGroup(group, signal);
  for (const { pid, group } of strays) if (group === own) signalProcess(pid, signal);
}

/** Descendants of the child that left its group: a signal to the group does not reach them. */
async function findStrays(tree: Tree, known: readonly Stat[]): Promise<readonly Stat[]> {
  const marked = await findMarked(tree.needle, tree);
  const seen = new Set(marked.map((stat) => stat.pid));
  const unmarked = keepRunning(known.filter((stat) => !seen.has(stat.pid)));
  const isFirst = ({ pid, group }: Stat): boolean => (tree.isInOurGroup ? pid : group) === tree.pid;
  return [...marked, ...unmarked].filter((stat) => !isFirst(stat));
}

/** Uses /proc where it exists, so that unreaped zombies cost no time. */
async function isGroupGone(tree: Tree): Promise<boolean> {
  if (!tree.hasExited()) return false;
  if (tree.isInOurGroup) return true;
  if (!hasGroup(tree.pid)) return true;
  return process.platform === 'linux' && (await listRunningMembers(tree.pid)).length === 0;
}

async function waitUntil(isDone: () => Promise<boolean>, ms: number, released: AbortSignal): Promise<void> {
  const end = performance.now() + ms;
  let poll = firstPollMs;
  while (!released.aborted && performance.now() < end && !(await isDone())) {
    await nap(poll, released);
    poll = Math.min(poll * 2, lastPollMs);
  }
}

function nap(ms: number, released: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (released.aborted) return resolve();
    const wake = () => {
      clearTimeout(timer);
      released.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    released.addEventListener('abort', wake, { once: true });
  });
}
