import { join } from 'node:path';
import { gitlinksIn } from './git-index.js';
import { lookAt, readPlainFile } from './plain-file.js';

/** How much may still be read: agents can make thousands of large indexes. */
export interface LinkBudget {
  bytes: number;
}

/** The paths at which an index has other repositories; undefined when that cannot be told. */
export type ReadLinks = (gitFolder: string, budget: LinkBudget) => readonly string[] | undefined;

interface Known {
  readonly signature: string;
  readonly links: readonly string[] | undefined;
}

const maxKnown = 1024;
/** About 700,000 files. To read more would keep everybody waiting. */
const maxIndexBytes = 64 * 1024 * 1024;

/** An index is read again only when it changed: those of large repositories have many megabytes. */
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
    // Removed while it was looked at; or nothing that can be read, which no git has written.
    return lookAt(file) === undefined ? [] : undefined;
  }
}
