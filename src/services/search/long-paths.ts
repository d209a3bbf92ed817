import type { SkippedFile } from '../../ports/search.js';
import { lookInside, type Where } from './inside.js';
import { namesBelow } from './start.js';

const maxFolders = 20;
/** Enough to recognize the place. */
const shownBytes = 400;
const slash = 47;

/**
 * The folders of paths that are too long to check. Such paths may lead outside, so only folders that are
 * inside are named.
 */
export function foldersOfLong(where: Where, paths: readonly Buffer[]): readonly SkippedFile[] {
  if (paths.length === 0) return [];
  const names = [...new Set(paths.map((path) => beginningOf(path)))].slice(0, maxFolders);
  const folders = names.filter((name) => name !== '').map((name) => Buffer.from(name, 'latin1'));
  const { inside } = lookInside(where, folders, (stat) => stat.isDirectory());
  const start = names.includes('') ? [Buffer.alloc(0)] : [];
  const nameOf = namesBelow(where.roots, where.place);
  return [...start, ...inside].map((folder) => ({
    path: nameOf(folder.toString()),
    reason: 'a path below it is too long',
  }));
}

/** The folder, as latin1, to name in place of a path; empty for the start. */
function beginningOf(path: Buffer): string {
  return path.toString('latin1', 0, Math.max(0, path.lastIndexOf(slash, shownBytes)));
}
