import { readdirSync } from 'node:fs';

/**
 * Whether a path exists, by the names in its folder. Agents can write thousands of names that don't exist, each with
 * many extensions and places to search, so each folder is read only once. Valid for one pass over the files.
 */
export function createListings(): (path: string) => boolean {
  const known = new Map<string, ReadonlySet<string> | 'unknown'>();

  function namesIn(folder: string): ReadonlySet<string> | 'unknown' {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const names = isThere(folder) ? read(folder) : none;
    known.set(folder, names);
    return names;
  }

  function isThere(path: string): boolean {
    const end = path.lastIndexOf('/');
    if (path === '/' || end === -1) return true;
    const names = namesIn(path.slice(0, end) || '/');
    return names === 'unknown' || names.has(path.slice(end + 1));
  }

  // Elsewhere a file may be found under another spelling of its name.
  return process.platform === 'linux' ? isThere : () => true;
}

const none: ReadonlySet<string> = new Set();

/** A folder that can't be listed may still be entered. */
function read(folder: string): ReadonlySet<string> | 'unknown' {
  try {
    return new Set(readdirSync(folder));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? none : 'unknown';
  }
}
