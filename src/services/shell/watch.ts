import { lstatSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import type { ShellTampering } from '../../ports/shell.js';
import { type ArmedCause, keyOfCause, moveAside } from './armed-trees.js';
import { freeName } from './free-name.js';
import type { NestedArmed } from './nested-armed.js';
import { shownPath } from './odd-path.js';
import type { ReopenFolders } from './open-folders.js';
import { lookAt } from './plain-file.js';
import type { ProtectedPlaces } from './protected-places.js';
import { compareSnapshots, takeSnapshot } from './snapshot.js';
import { causesToMove } from './undo-causes.js';
import { undoAll } from './undo-rounds.js';
import type { Pace } from './watch-pace.js';

export interface WatchParts {
  /** The state of the disk before the command. */
  readonly first: ProtectedPlaces;
  /** `isKnown`: see `GitGround`. */
  readonly find: (isKnown?: (cause: ArmedCause) => boolean) => ProtectedPlaces;
  /** What is below the top of the roots before the command. */
  readonly nested: NestedFindings;
  readonly findNested: () => Promise<NestedFindings>;
  /** Whether to check repositories below the top while the command runs, which can take long. */
  readonly patrolsNested: boolean;
  /** Folders outside the roots that the command can write to. */
  readonly writable: readonly string[];
  /** True for paths that the sandbox keeps read-only: a change there was not made by the command. */
  readonly isKept: (path: string) => boolean;
  /** True for paths under a mount, even if another program may have replaced them. */
  readonly isFixed: (path: string) => boolean;
  /** Moved aside when found. */
  readonly never: readonly string[];
  /** Restored when changed, each with its target. */
  readonly links: ReadonlyMap<string, string>;
  /** Also called at each check. */
  readonly reopenFolders: ReopenFolders;
  /** What each running sandboxed command found at its start, see `keyOfCause`. Shared by all commands. */
  readonly overlapping: Set<ReadonlySet<string>>;
  /** Whether to move aside new files that may make git run something. */
  readonly disarms: boolean;
  readonly pace: Pace;
  /** Called when an attack was found. */
  readonly onAttack: () => void;
  /** Called when protected places hold more than is compared. */
  readonly onPartial: () => void;
  /** Converts a path to the form shown to the caller. */
  readonly pathFor: (path: string) => string;
}

export interface NestedFindings extends NestedArmed {
  /** Existing paths in protected places. */
  readonly places: readonly string[];
  readonly trees: readonly string[];
  /** See `WorkspaceScan`. */
  readonly closed: readonly string[];
}

export interface WatchEnd extends ShellTampering {
  /** New places and repositories below the top of the roots. */
  readonly made: readonly string[];
}

export interface Watch {
  /** Keys of what existed before, see `keyOfCause`. */
  readonly known: readonly string[];
  readonly begunAt: number;
  end(): Promise<WatchEnd>;
}

const patrolMs = 1000;
const maxTold = 50;
const nestedPatrolMs = 4000;

/** Compares protected places before and after a command, and regularly checks for paths that must never exist. */
export async function openWatch(parts: WatchParts): Promise<Watch> {
  const { first, nested, findNested, isKept, never, links, pace, onAttack, pathFor } = parts;
  const undone = new Set<string>();
  const closed = new Set<string>();
  const isOpen = (path: string): boolean => !isKept(path.replace(/\/$/, ''));
  const openOf = ({ paths, watched }: ProtectedPlaces, { places: below }: NestedFindings) => ({
    paths: [...paths, ...below].filter(isOpen),
    watched: watched.filter(isOpen),
  });
  const places = openOf(first, nested);
  const { look, newlyArmed, known, begunAt, grounds } = followArmed(parts);
  const before = await takeSnapshot(places.paths, places.watched);
  let suspects: ReadonlySet<string> = new Set();
  const undo = (): number => {
    const reopened = parts.reopenFolders();
    for (const path of reopened) closed.add(path);
    const made = [
      ...never.filter((path) => remove(path, grounds)),
      ...[...links.keys()].filter((link) => putBack(link, links.get(link))),
    ];
    for (const path of made) undone.add(path);
    return made.length + reopened.length;
  };
  const patrol = (): void => {
    const made = undo();
    // The paths are moved aside after the command has ended. Needs two checks: some programs write an index in place,
    // and one check can see half of it.
    const armed = pace(() => newlyArmed());
    if (made > 0 || armed?.some((path) => suspects.has(path)) === true) onAttack();
    if (armed !== undefined) suspects = new Set(armed);
  };
  const timer = setInterval(patrol, patrolMs).unref();
  const stopNested = parts.patrolsNested ? patrolNested(findNested, newlyArmed, onAttack) : () => {};
  const told = (paths: Iterable<string>): readonly string[] =>
    [...paths].slice(0, maxTold).map(pathFor).map(shownPath);

  return {
    known: [...known],
    begunAt,
    async end() {
      clearInterval(timer);
      stopNested();
      if (undo() > 0) onAttack();
      let below = nested;
      const lookBelow = async () => {
        below = await findNested();
        const linking = parts.disarms ? below.linking.filter((index) => !parts.isFixed(index)) : [];
        return { toMove: newlyArmed(below.armed), trees: below.trees.length, linking };
      };
      const moved = await undoAll(lookBelow, grounds).finally(() => parts.overlapping.delete(known));
      for (const path of moved) undone.add(path);
      const now = openOf(look(), below);
      const after = await takeSnapshot(
        new Set([...places.paths, ...now.paths]),
        new Set([...places.watched, ...now.watched]),
      );
      if (before.isPartial || after.isPartial) parts.onPartial();
      const { created, changed } = compareSnapshots(before, after);
      const old = new Set([...nested.places, ...nested.trees]);
      const made = [...below.places, ...below.trees].filter((path) => !old.has(path));
      const unlisted = below.closed.filter((path) => !nested.closed.includes(path));
      return {
        createdPaths: told([...created, ...unlisted]),
        changedPaths: told([...changed, ...closed]),
        undonePaths: told(undone),
        made,
      };
    },
  };
}

/** Ends a command if two checks in a row find the same new cause: the first may see a half-written file. */
function patrolNested(
  findNested: () => Promise<NestedFindings>,
  newlyArmed: (nested: readonly ArmedCause[]) => readonly string[],
  onAttack: () => void,
): () => void {
  let suspects: ReadonlySet<string> = new Set();
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const patrol = async (): Promise<void> => {
    const from = performance.now();
    const armed = newlyArmed((await findNested()).armed);
    if (isOver) return;
    if (armed.some((path) => suspects.has(path))) onAttack();
    suspects = new Set(armed);
    // Checks take at most a fifth of the time.
    wait(Math.max(nestedPatrolMs, 4 * (performance.now() - from)));
  };
  const wait = (ms: number): void => {
    timer = setTimeout(() => void patrol().catch(onAttack), ms).unref();
  };
  wait(nestedPatrolMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** `newlyArmed` returns the paths to move aside because of causes that are new since this call. */
function followArmed({ first, nested, find, isFixed, disarms, writable, overlapping }: WatchParts) {
  // Also without the mark: a new link to an earlier cause is undone in the index.
  const all = [...first.armed, ...nested.armed, ...nested.armed.map(({ tree, cause }) => ({ tree, cause }))];
  const keys = [...all.map(keyOfCause), ...nested.pointers];
  // What appeared during another running command may come from that command, which is still unchecked.
  const before = new Set(keys.filter((key) => [...overlapping].every((known) => known.has(key))));
  if (disarms) overlapping.add(before);
  const begunAt = Date.now();
  const isKnown = (one: ArmedCause): boolean => before.has(keyOfCause(one));
  const grounds = [...first.grounds, ...writable];
  const look = (): ProtectedPlaces => {
    try {
      return find(disarms ? isKnown : undefined);
    } catch {
      // There is more than can be inspected, which no command here created. New repositories are not inspected.
      return first;
    }
  };
  const newlyArmed = (below: readonly ArmedCause[] = []): readonly string[] => {
    const made = disarms ? [...look().armed, ...below].filter((one) => !isKnown(one)) : [];
    return causesToMove(made, { begunAt, grounds, isFixed, known: before });
  };
  return { look, newlyArmed, known: before, begunAt, grounds };
}

/**
 * Returns true if the path existed and was moved. It is kept under another name, because the operator may have written
 * it.
 */
function remove(path: string, grounds: readonly string[]): boolean {
  const found = lookAt(path);
  // With a folder of that name, git refuses to work and runs nothing.
  return found !== undefined && !found.isDirectory() && moveAside(path, grounds);
}

/**
 * Returns true if the link was replaced or gone. What is in its place is kept under another name: it may be valuable,
 * and a folder can't be removed in one step.
 */
function putBack(link: string, target = ''): boolean {
  try {
    const found = lstatSync(link, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true && readlinkSync(link) === target) return false;
    if (found !== undefined) renameSync(link, freeName(link));
    symlinkSync(target, link);
    return true;
  } catch {
    // Another program is changing it right now: the next check sees the result.
    return false;
  }
}
