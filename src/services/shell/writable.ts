import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isInside } from './inside.js';

/** Folders outside the workspace that the operator lets sandboxed commands write to. */
export interface WritableFolders {
  readonly inForce: readonly string[];
  /** Sentences about those that are not, without a stop. */
  readonly refused: readonly string[];
}

export interface WritableParts {
  readonly paths: readonly string[];
  /** Why commands must not write there, as the operator's files lie now. */
  readonly whyNot: (path: string) => string | undefined;
  /** What commands can write to anyway. */
  readonly grounds: readonly string[];
}

/**
 * As the disk is now. A folder in force is its own real path, and no command can write to the folders above it, so
 * that none can put a link to somewhere else in its place.
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
    return 'is a link or lies behind one: name the folder that it leads to';
  return stats.isDirectory() ? undefined : 'is a file: name its folder, because programs replace files';
}

function besideGround(path: string, grounds: readonly string[]): string | undefined {
  const ground = grounds.find((one) => isInside(path, one) || isInside(one, path));
  return ground && `holds ${ground} or lies in it, where protected files stay read-only`;
}

/** Homes are often links: `~` means what they lead to. */
function withRealHome(path: string): string {
  const home = homedir();
  if (!isInside(path, home)) return path;
  try {
    return join(realpathSync(home), path.slice(home.length));
  } catch {
    return path;
  }
}
