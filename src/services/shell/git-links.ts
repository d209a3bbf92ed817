import { join } from 'node:path';
import { gitlinksIn } from './git-index.js';
import { lookAt, readPlainFile } from './plain-file.js';

/** How many bytes may still be read: agents can create thousands of large indexes. */
export interface LinkBudget {
  bytes: number;
}

/** The paths at which an index links to other repositories; undefined if they can't be determined. */
export type ReadLinks = (gitFolder: string, budget: LinkBudget) => readonly string[] | undefined;

interface Known {
  readonly signature: string;
  readonly links: readonly string[] | undefined;
}

const maxKnown = 1024;
/** About 700,000 files. Reading more would block all other calls. */
const maxIndexBytes = 64 * 1024 * 1024;

/** Reads an index again only after it changed: those of large repositories have many megabytes. */
export function createLinkReader(): ReadLinks {
  const known = new Map<string, Known>();

  return (gitFolder, budget) => {
    const file = join(gitFolder, 'index');
    const found = lookAt(file);
    if (found === undefined) return [];
    const signature = [found.ino, found.size, found.mtimeMs, found.ctimeMs].join(':');
    const before = known.get(file);
    if (before?.signature === signature) return before.links;
    if (found.size <= maxIndexBytes && found.size > budget.bytes) return undefined;
    const links = found.size > maxIndexBytes ? undefined : linksOf(file, budget);
    known.delete(file);
    known.set(file, { signature, links });
    const [oldest] = known.keys();
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
    return links;
  };
}

function linksOf(file: string, budget: LinkBudget): readonly string[] | undefined {
  try {
    const bytes = readPlainFile(file, maxIndexBytes);
    budget.bytes -= bytes.length;
    return gitlinksIn(bytes);
  } catch {
    // The file was removed meanwhile, or it can't be read, so git did not write it.
    return lookAt(file) === undefined ? [] : undefined;
  }
}
