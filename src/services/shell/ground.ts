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
  /** A path as the caller may name it. */
  readonly pathFor: (path: string) => string;
  /** Shared by all commands. */
  readonly pace: Pace;
  readonly scan: ScanWorkspace;
  readonly recordCheck: RecordCheck;
  /** See `WatchParts`. */
  readonly overlapping: Set<ReadonlySet<string>>;
  /** What trusted programs load, as the trust records are now. */
  readonly locksNow: () => readonly string[];
  /** See `OpenCheck`. */
  readonly writable: readonly string[];
  /** Gets what came to be below the top of the roots. */
  readonly onMade: (paths: readonly string[]) => void;
  /** Puts what came to be while commands ran last. */
  readonly sortMade: (paths: readonly string[]) => readonly string[];
  /** See `WatchParts`. */
  readonly onPartial: () => void;
}

export interface GroundOptions {
  readonly isSandboxed: boolean;
  readonly isBackground: boolean;
}

/** What lies under a command while it runs: mounts where there is a sandbox, and somebody who looks in any case. */
export interface Ground {
  readonly args: readonly string[];
  /** See `Mounts`; empty without sandbox. */
  readonly points: ReadonlySet<string>;
  onAttack(listener: () => void): void;
  /** Called once, when nothing of the command is left. */
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
  const points = laid?.points ?? new Set<string>();
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
    // Only in folders that nobody can exchange: else we could be led to a file of somebody else.
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
  // A program that was trusted before the record was written did not find this command there, so it may be starting now.
  if (laid !== undefined && !locksNow().every((path) => locks.some((lock) => isInside(path, lock)))) {
    await release();
    throw lockChanged();
  }
  return {
    args: laid?.args ?? [],
    points,
    onAttack(listener) {
      tell = listener;
    },
    release,
  };
}

/** Without what is ours by its name alone: no trusted program loads it. */
export function locksOf({ fixed, byName, absent }: OwnMasks): readonly string[] {
  return [...fixed.filter((path) => !byName.includes(path)), ...absent];
}
