import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import { isWithin } from './workspace-paths.js';

const maxEntries = 500_000;

/**
 * Hard links inside the roots to files that will be locked. Throws if the roots contain too many files to be sure, or
 * if a link may be where nothing can be searched or locked. Reads only the given paths unless one of their files has
 * several links.
 */
export function otherNames(
  locked: readonly string[],
  roots: readonly string[],
  limit = maxEntries,
): readonly string[] {
  const search: Search = { count: createCounter(limit), unread: [] };
  const wanted = new Map<string, Wanted>();
  for (const path of locked)
    for (const { stats } of filesAt(Buffer.from(path), search))
      if (stats.nlink > 1n) wanted.set(inodeOf(stats), { names: new Set(), count: stats.nlink });
  if (wanted.size === 0) return [];
  const isLocked = (path: string): boolean => locked.some((one) => isWithin(path, one));
  const found = new Set<string>();
  const beyond = locked.filter((path) => !roots.some((root) => isWithin(path, root)));
  for (const start of [...roots, ...beyond])
    for (const { path, stats } of filesAt(Buffer.from(start), search)) {
      const file = stats.nlink > 1n ? wanted.get(inodeOf(stats)) : undefined;
      if (file === undefined) continue;
      file.names.add(path.toString('latin1'));
      const name = path.toString('utf8');
      if (isLocked(name)) continue;
      // Such a name can't be written to the trust record, so it could not be locked.
      if (!Buffer.from(name).equals(path))
        throw new Error(`one of its files has another name (hard link) that is not valid UTF-8: ${name}`);
      found.add(name);
    }
  const [unread] = search.unread;
  // If every folder was read, the missing links are outside the roots, where agents can't write.
  if (unread !== undefined && [...wanted.values()].some(({ names, count }) => BigInt(names.size) < count))
    throw new Error(
      `some of its files have other names (hard links), which may be in ${unread}, a folder that can't be read`,
    );
  return [...found].sort();
}

interface Wanted {
  /** Paths by their bytes. */
  readonly names: Set<string>;
  readonly count: bigint;
}

interface Search {
  readonly count: () => void;
  /** Folders that could not be read. A command of the same user can make them readable again. */
  readonly unread: string[];
}

interface Found {
  readonly path: Buffer;
  readonly stats: BigIntStats;
}

/** Paths are bytes: a name that is not valid UTF-8 could not be opened as text. */
function* filesAt(path: Buffer, search: Search): Generator<Found> {
  const stats = statsAt(path, search);
  if (stats?.isFile() === true) yield { path, stats };
  if (stats?.isDirectory() !== true) return;
  for (const name of namesIn(path, search)) {
    search.count();
    yield* filesAt(Buffer.concat([path, slash, name]), search);
  }
}

const slash = Buffer.from('/');

function statsAt(path: Buffer, { unread }: Search): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A folder that may be listed but not entered.
    unread.push(path.toString('utf8'));
    return undefined;
  }
}

function namesIn(folder: Buffer, { unread }: Search): readonly Buffer[] {
  try {
    return readdirSync(folder, { encoding: 'buffer' });
  } catch {
    unread.push(folder.toString('utf8'));
    return [];
  }
}

function createCounter(limit: number): () => void {
  let seen = 0;
  return () => {
    seen += 1;
    if (seen > limit)
      throw new Error(
        `some of its files have other names (hard links), and more than ${String(limit)} files would have to be searched for them`,
      );
  };
}

function inodeOf({ dev, ino }: BigIntStats): string {
  return `${String(dev)}:${String(ino)}`;
}
