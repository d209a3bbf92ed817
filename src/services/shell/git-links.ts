import { join } from 'node:path';
import { gitlinksIn } from './git-index.js';
import { lookAt, readPlainFile } from './plain-file.js';

/** The paths at which an index has other repositories; undefined when that cannot be told. */
export type ReadLinks = (gitFolder: string) => readonly string[] | undefined;

interface Known {
  readonly signature: string;
  readonly links: readonly string[] | undefined;
}

const maxKnown = 64;
const maxIndexBytes = 256 * 1024 * 1024;

/** An index is read again only when it changed: those of large repositories have many megabytes. */
export function createLinkReader(): ReadLinks {
  const known = new Map<string, Known>();

  return (gitFolder) => {
    const file = join(gitFolder, 'index');
    const found = lookAt(file);
    if (found === undefined) return [];
    const signature = [found.ino, found.size, found.mtimeMs, found.ctimeMs].join(':');
    const before = known.get(file);
    if (before?.signature === signature) return before.links;
    const links = found.size > maxIndexBytes ? undefined : linksOf(file);
    known.delete(file);
    known.set(file, { signature, links });
    const [oldest] = known.keys();
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
    return links;
  };
}

function linksOf(file: string): readonly string[] | undefined {
  try {
    return gitlinksIn(readPlainFile(file, maxIndexBytes));
  } catch {
    // Exchanged or removed while it was looked at.
    return undefined;
  }
}
