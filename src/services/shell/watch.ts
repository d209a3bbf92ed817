import { lstatSync, unlinkSync } from 'node:fs';
import type { ShellTampering } from '../../kernel/shell-port.js';
import type { ProtectedPlaces } from './protected-places.js';
import { compareSnapshots, takeSnapshot } from './snapshot.js';

export interface WatchParts {
  readonly find: () => ProtectedPlaces;
  /** True for what the sandbox keeps as it is: whatever changes there, the command has not done it. */
  readonly isKept: (path: string) => boolean;
  /** Removed on sight. */
  readonly never: readonly string[];
  /** Something of the kind was made. */
  readonly onAttack: () => void;
  /** A path as the caller may name it. */
  readonly pathFor: (path: string) => string;
}

export interface Watch {
  end(): ShellTampering;
}

const patrolMs = 1000;
const maxTold = 50;

/** Looks at protected places before and after a command, and now and then at those that must never be. */
export function openWatch({ find, isKept, never, onAttack, pathFor }: WatchParts): Watch {
  const undone = new Set<string>();
  const isOpen = (path: string): boolean => !isKept(path.replace(/\/$/, ''));
  const placesNow = () => {
    const { paths, watched } = find();
    return { paths: paths.filter(isOpen), watched: watched.filter(isOpen) };
  };
  const places = placesNow();
  const before = takeSnapshot(places.paths, places.watched);
  const patrol = (): void => {
    const made = never.filter(remove);
    for (const path of made) undone.add(path);
    if (made.length > 0) onAttack();
  };
  const timer = setInterval(patrol, patrolMs).unref();
  const told = (paths: Iterable<string>): readonly string[] => [...paths].slice(0, maxTold).map(pathFor);

  return {
    end() {
      clearInterval(timer);
      patrol();
      const now = placesNow();
      const after = takeSnapshot(
        new Set([...places.paths, ...now.paths]),
        new Set([...places.watched, ...now.watched]),
      );
      const { created, changed } = compareSnapshots(before, after);
      return { createdPaths: told(created), changedPaths: told(changed), undonePaths: told(undone) };
    },
  };
}

/** True when it was there. */
function remove(path: string): boolean {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false;
    unlinkSync(path);
    return true;
  } catch {
    // A folder of that name: git refuses to work then, and does nothing that it should not.
    return false;
  }
}
