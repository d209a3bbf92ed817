import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isInside } from './inside.js';

/** Folders outside the workspace that the operator lets sandboxed commands write to. */
export interface WritableFolders {
  readonly inForce: readonly string[];
  /** Sentences about refused folders, without a full stop. */
  readonly refused: readonly string[];
}

export interface WritableParts {
  readonly paths: readonly string[];
  /** Why commands must not write there, given where the operator's files are now. */
  readonly whyNot: (path: string) => string | undefined;
  /** The folders that commands can write to anyway. */
  readonly grounds: readonly string[];
}

/**
 * Checks the current state of the disk. A folder in effect is its own real path, and commands can't write to the
 * folders above it, so none can replace it with a link.
 */
export function findWritable({ paths, whyNot, grounds }: WritableParts): WritableFolders {
  const refused: string[] = [];
  const found = [...new Set(paths.map(withRealHome))].filter((path) => {
    const why = whyNotFolder(path) ?? whyNot(path) ?? besideGround(path, grounds);
    if (why !== undefined) refused.push(`${path} ${why}`);
    return why === undefined;
  });
  const inForce = found.filter((path) => !found.some((other) => other !== path && isInside(path, other)));
  return { inForce, refused };
}

function whyNotFolder(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'does not exist';
  if (stats.isSymbolicLink() || realpathSync(path) !== path)
    return 'is a link or is reached through one: use the folder it points to';
  return stats.isDirectory() ? undefined : 'is a file: use its folder, because programs replace files';
}

function besideGround(path: string, grounds: readonly string[]): string | undefined {
  const ground = grounds.find((one) => isInside(path, one) || isInside(one, path));
  return ground && `contains ${ground} or is inside it, where protected files stay read-only`;
}

/** The home is often a link, and `~` means its target. */
function withRealHome(path: string): string {
  const home = homedir();
  if (!isInside(path, home)) return path;
  try {
    return join(realpathSync(home), path.slice(home.length));
  } catch {
    return path;
  }
}
