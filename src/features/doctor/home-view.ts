import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../lib/list-folder.js';
import { messageOf } from '../../lib/error-message.js';
import { isKnown, isOwnFile, isOwnFolder, isPipesFolder } from './own-entries.js';

export interface HomeEntry {
  /** Relative to the state directory. */
  readonly path: string;
  readonly stats: Stats;
}

/** The entries of the state directory by name and type. Nothing is opened, so a pipe cannot block us. */
export interface HomeView {
  /** Undefined if the directory does not exist. */
  readonly stats: Stats | undefined;
  readonly entries: readonly HomeEntry[];
  /** Pipes and devices where files are expected: opening one would block forever. */
  readonly odd: readonly string[];
  /** Files far larger than any Tidegate writes. */
  readonly huge: readonly string[];
  /** Entries Tidegate did not create: the directory may be shared. */
  readonly strange: readonly string[];
  readonly obstacle: string | undefined;
}

/** Not examined: agents and commands create their content. */
const unseen: ReadonlySet<string> = new Set(['agents', 'shell', 'sockets', 'locks', 'exec']);
const mostEntries = 5000;
const hugeBytes = 64 * 1024 * 1024;
/** These grow as long as they are used. */
const mayGrow = /^(?:state\.db|audit\/|runs\/)/;

export function lookAtHome(home: string): HomeView {
  const nothing = { entries: [], odd: [], huge: [], strange: [] };
  let stats: Stats | undefined;
  try {
    stats = statSync(home, { throwIfNoEntry: false });
  } catch (error) {
    return { ...nothing, stats: undefined, obstacle: `cannot be accessed: ${messageOf(error)}` };
  }
  if (stats === undefined) return { ...nothing, stats, obstacle: undefined };
  if (!stats.isDirectory()) return { ...nothing, stats, obstacle: 'not a directory' };
  try {
    const entries = entriesOf(home);
    const odd = entries.filter(isOdd).map(({ path }) => path);
    const huge = entries.filter(isHuge).map(({ path }) => path);
    const strange = entries.map(({ path }) => path).filter((path) => !path.includes('/') && !isKnown(path));
    const stop = [...odd, ...huge][0];
    const obstacle = stop === undefined ? undefined : `${stop} is not a readable file`;
    return { stats, entries, odd, huge, strange, obstacle };
  } catch (error) {
    return { ...nothing, stats, obstacle: `cannot be read: ${messageOf(error)}` };
  }
}

function entriesOf(home: string): readonly HomeEntry[] {
  const found: HomeEntry[] = [];
  for (const name of readdirSync(home).sort()) {
    add(home, name, found);
    const isWalked = isOwnFolder(name) && !unseen.has(name);
    if (!isWalked || found.at(-1)?.stats.isDirectory() !== true) continue;
    for (const inner of namesIn(join(home, name)).toSorted().slice(0, mostEntries)) {
      add(home, `${name}/${inner}`, found);
      if (name !== 'runs') continue;
      for (const part of ['journal.jsonl', 'owner']) add(home, `${name}/${inner}/${part}`, found);
    }
  }
  return found;
}

function add(home: string, path: string, found: HomeEntry[]): void {
  if (found.length >= mostEntries) return;
  try {
    const stats = lstatSync(join(home, path), { throwIfNoEntry: false });
    if (stats !== undefined) found.push({ path, stats });
  } catch {
    // Deleted meanwhile or not accessible, so it is not read later either.
  }
}

function isOdd({ path, stats }: HomeEntry): boolean {
  if (isPipesFolder(path)) return false;
  const isWaiting = stats.isFIFO() || stats.isCharacterDevice() || stats.isBlockDevice() || stats.isSocket();
  // A folder in place of a file (or the reverse) fails immediately where it is used.
  return isWaiting || (stats.isSymbolicLink() && leadsAstray(path));
}

/** A link could lead to a pipe. Locks are links too, but they are never followed. */
function leadsAstray(path: string): boolean {
  return isOwnFile(path) || (path.includes('/') && !/\.lock(?:\.[0-9a-f]{16}){0,3}$/.test(path));
}

function isHuge({ path, stats }: HomeEntry): boolean {
  return stats.isFile() && stats.size > hugeBytes && !mayGrow.test(path);
}
