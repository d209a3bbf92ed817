import { realpath } from 'node:fs/promises';
import { isAbsolute, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRecord } from '../../../lib/is-record.js';

/** `several`: the roots are in different folders, so they don't say which one is meant. */
export type Match = { readonly folder: string } | 'several' | 'none';

/** Far above what a real client has. Each root costs a file system access. */
const maxRoots = 256;

/** The paths in the result of `roots/list`. Undefined if the result is invalid or too long. */
export function pathsOf(result: unknown): readonly string[] | undefined {
  const roots = isRecord(result) ? result['roots'] : undefined;
  if (!Array.isArray(roots) || roots.length > maxRoots) return undefined;
  return roots.flatMap((root: unknown) => pathOf(isRecord(root) ? root['uri'] : undefined) ?? []);
}

/** Finds the folder that the paths are in: for each path the deepest one. `folders` are real paths. */
export async function matchRoots(paths: readonly string[], folders: readonly string[]): Promise<Match> {
  const found = new Set<string>();
  for (const path of paths) {
    const folder = deepestAround(folders, await realOf(path));
    if (folder !== undefined) found.add(folder);
  }
  const [folder] = found;
  if (folder === undefined) return 'none';
  return found.size === 1 ? { folder } : 'several';
}

function pathOf(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !URL.canParse(uri)) return undefined;
  const url = new URL(uri);
  // A path with a host would make Windows connect to that host.
  if (url.protocol !== 'file:' || url.host !== '') return undefined;
  try {
    const path = fileURLToPath(url);
    return isAbsolute(path) && !path.startsWith('\\\\') && !path.includes('\0') ? path : undefined;
  } catch {
    return undefined;
  }
}

/** A folder that doesn't exist here is compared as text, like the one in the header. */
async function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => normalize(path));
}

function deepestAround(folders: readonly string[], path: string): string | undefined {
  const wanted = path.endsWith(sep) ? path : `${path}${sep}`;
  return folders
    .filter((folder) => wanted.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`))
    .toSorted((a, b) => b.length - a.length)[0];
}
