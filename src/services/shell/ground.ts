import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ShellTampering } from '../../kernel/shell-port.js';
import { layMounts, type MountParts } from './mounts.js';
import { findPlaces, type PlaceParts } from './protected-places.js';
import { openWatch } from './watch.js';

export interface GroundParts {
  readonly mounts: MountParts;
  readonly places: PlaceParts;
  /** A path as the caller may name it. */
  readonly pathFor: (path: string) => string;
}

/** What lies under a command while it runs: mounts where there is a sandbox, and somebody who looks in any case. */
export interface Ground {
  readonly args: readonly string[];
  /** See `Mounts`; empty without sandbox. */
  readonly points: ReadonlySet<string>;
  onAttack(listener: () => void): void;
  /** Called once, when nothing of the command is left. */
  release(): ShellTampering;
}

export function layGround({ mounts, places, pathFor }: GroundParts, isSandboxed: boolean): Ground {
  const found = findPlaces(places);
  const laid = isSandboxed ? layMounts(mounts, found) : undefined;
  const points = laid?.points ?? new Set<string>();
  let tell = (): void => {};
  const watch = openWatch({
    find: () => findPlaces(places),
    isKept: (path) => laid?.isKept(path) === true,
    // Only in folders that nobody can exchange: else we could be led to a file of somebody else.
    never: found.never.filter((path) => points.has(dirname(path)) && !existsSync(path)),
    onAttack: () => tell(),
    pathFor,
  });
  return {
    args: laid?.args ?? [],
    points,
    onAttack(listener) {
      tell = listener;
    },
    release() {
      laid?.release();
      return watch.end();
    },
  };
}
