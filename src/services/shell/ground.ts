import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { OwnMasks } from '../../ports/own-paths.js';
import type { ShellTampering } from '../../ports/shell.js';
import { relativeHookFolders } from './git-runs.js';
import { isInside } from './inside.js';
import { layMounts, type MountParts } from './mounts.js';
import { findNestedArmed } from './nested-armed.js';
import { createReopenFolders } from './open-folders.js';
import { findPlaces, type PlaceParts } from './protected-places.js';
import { lockChanged, tooManyTrees } from './refusals.js';
import type { RecordCheck } from './unfinished-checks.js';
import { type NestedFindings, openWatch } from './watch.js';
import type { Pace } from './watch-pace.js';
import type { ScanWorkspace, WorkspaceScan } from './workspace-scan.js';

export interface GroundParts {
  readonly mounts: MountParts;
  readonly places: PlaceParts;
  /** Converts a path to the form shown to the caller. */
  readonly pathFor: (path: string) => string;
  /** Shared by all commands. */
  readonly pace: Pace;
  readonly scan: ScanWorkspace;
  readonly recordCheck: RecordCheck;
  /** See `WatchParts`. */
  readonly overlapping: Set<ReadonlySet<string>>;
  /** What trusted programs load, according to the current trust records. */
  readonly locksNow: () => readonly string[];
  /** See `OpenCheck`. */
  readonly writable: readonly string[];
  /** Receives the paths created below the top of the roots. */
  readonly onMade: (paths: readonly string[]) => void;
  /** Sorts paths created while commands ran to the end. */
  readonly sortMade: (paths: readonly string[]) => readonly string[];
  /** See `WatchParts`. */
  readonly onPartial: () => void;
}

export interface GroundOptions {
  readonly isSandboxed: boolean;
  readonly isBackground: boolean;
}

/** What surrounds a running command: mounts if there is a sandbox, and a watch in any case. */
export interface Ground {
  /** See `Mounts`; all empty without a sandbox. */
  readonly args: readonly string[];
  readonly expected: readonly string[];
  readonly points: ReadonlySet<string>;
  onAttack(listener: () => void): void;
  /** Call once, when no process of the command is left. */
  release(): Promise<ShellTampering>;
}

const noneArmed = { armed: [], pointers: [], linking: [] };

export async function layGround(
  {
    mounts,
    places,
    pathFor,
    pace,
    scan,
    recordCheck,
    overlapping,
    onMade,
    sortMade,
    onPartial,
    locksNow,
    writable,
  }: GroundParts,
  { isSandboxed, isBackground }: GroundOptions,
): Promise<Ground> {
  const { roots, readLinks } = places;
  const hookFolders = relativeHookFolders(places.globalConfigs);
  const findArmed = ({ trees, oddTrees }: WorkspaceScan) =>
    findNestedArmed(roots, [...trees, ...oddTrees], readLinks, hookFolders);
  const findNested = async (): Promise<NestedFindings> => {
    const below = await scan();
    const armed = isSandboxed ? await findArmed(below) : noneArmed;
    return { ...below, places: sortMade(below.places), ...armed };
  };
  const nested = await findNested();
  const found = findPlaces(places);
  if (found.isOverfull) throw tooManyTrees();
  const laid = isSandboxed ? layMounts(mounts, found) : undefined;
  const { args = [], expected = [], points = new Set<string>() } = laid ?? {};
  let tell = (): void => {};
  const watch = await openWatch({
    first: found,
    pace,
    find: (isKnown) => findPlaces(places, isKnown),
    nested,
    findNested,
    patrolsNested: isSandboxed && isBackground,
    writable: isSandboxed ? mounts.writable : [],
    isKept: (path) => laid?.isKept(path) === true,
    isFixed: (path) => laid?.isFixed(path) === true,
    // Only in folders that no command can replace: otherwise the undo could hit a file outside the workspace.
    never: found.never.filter((path) => points.has(dirname(path)) && !existsSync(path)),
    links: new Map([...found.links].filter(([path]) => points.has(dirname(path)))),
    reopenFolders: createReopenFolders(points),
    overlapping: isSandboxed ? overlapping : new Set(),
    disarms: isSandboxed,
    onAttack: () => tell(),
    onPartial,
    pathFor,
  });
  const { known, begunAt } = watch;
  const grounds = [...found.grounds, ...mounts.writable];
  const locks = locksOf(mounts.own);
  const checked =
    laid === undefined
      ? () => {}
      : recordCheck({ roots, grounds, begunAt, known, fixed: laid.fixed, hookFolders, writable, locks });
  const release = async (): Promise<ShellTampering> => {
    laid?.release();
    const { made, ...tampering } = await watch.end();
    checked();
    onMade(made);
    return tampering;
  };
  // A program trusted before this record was written did not see the command, so it may be starting now.
  if (laid !== undefined && !locksNow().every((path) => locks.some((lock) => isInside(path, lock)))) {
    await release();
    throw lockChanged();
  }
  return {
    ...{ args, expected, points },
    onAttack(listener) {
      tell = listener;
    },
    release,
  };
}

/** Excludes files that are Tidegate's by name only: no trusted program loads them. */
export function locksOf({ fixed, byName, absent }: OwnMasks): readonly string[] {
  return [...fixed.filter((path) => !byName.includes(path)), ...absent];
}
