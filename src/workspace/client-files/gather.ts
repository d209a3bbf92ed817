import { dirname, isAbsolute, relative, sep } from 'node:path';
import { shellWord } from '../../lib/shell-word.js';
import {
  type Client,
  type ClientFile,
  type ClientPlace,
  clients,
  type FoundServer,
  serversIn,
} from '../../clients/index.js';
import { type ForeignFile, readForeign, withoutLinks } from './foreign-file.js';
import { ImportRefused } from './refused.js';
import { assertOurs, type Owners, systemOwners } from './whose-file.js';

/** A client file that exists or could exist. */
export interface Source {
  readonly client: Client;
  readonly file: ClientFile;
  /** Undefined if the file does not exist. */
  readonly content: ForeignFile | undefined;
  readonly servers: readonly FoundServer[];
}

export interface Gathered {
  readonly sources: readonly Source[];
  /** Files that could not be used; the rest are still used. */
  readonly problems: readonly ImportRefused[];
}

interface GatherOptions {
  readonly scope?: ClientFile['scope'] | undefined;
  readonly owners?: Owners;
}

/** The named clients; all if no name is given. Undefined if a name is unknown. */
export function clientsNamed(names: readonly string[]): readonly Client[] | undefined {
  if (names.length === 0) return clients;
  const chosen = clients.filter(({ name, belongsTo }) =>
    names.some((one) => one === name || one === belongsTo),
  );
  return names.every((one) => clients.some(({ name }) => name === one)) ? chosen : undefined;
}

export const clientNames: readonly string[] = clients.map(({ name }) => name);

/** Reads every client file. An unreadable file is reported and does not stop the others. */
export function gather(
  chosen: readonly Client[],
  place: ClientPlace,
  { scope, owners = systemOwners }: GatherOptions = {},
): Gathered {
  const sources: Source[] = [];
  const problems: ImportRefused[] = [];
  const seen = new Set<string>();
  for (const client of chosen) {
    for (const file of client.files(place)) {
      if (seen.has(file.path) || (scope !== undefined && file.scope !== scope)) continue;
      seen.add(file.path);
      try {
        assertInside(file, place);
        assertOurs(file, place, owners);
        sources.push(sourceOf(client, file, place));
      } catch (error) {
        if (!(error instanceof ImportRefused)) throw error;
        problems.push(error);
      }
    }
  }
  return { sources, problems };
}

/**
 * A checkout may contain a link to a private file, whose servers and secrets would then count as the project's. Links
 * in the user's own home are allowed.
 */
function assertInside({ path, scope, folder }: ClientFile, { folders }: ClientPlace): void {
  if (scope !== 'project') return;
  const root = withoutLinks(folders.at(-1) ?? folder ?? dirname(path));
  const real = withoutLinks(path);
  const way = relative(root, real);
  if (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return;
  const message = `${path} is a link to a file outside the project: ${real}.`;
  throw new ImportRefused('import.outside', message, `ls -l ${shellWord(path)}`);
}

function sourceOf(client: Client, file: ClientFile, place: ClientPlace): Source {
  const content = readForeign(file.path);
  if (content === undefined) return { client, file, content, servers: [] };
  try {
    return { client, file, content, servers: serversIn(client, content.text, file, place) };
  } catch (error) {
    // Excessive nesting ends in a stack overflow (RangeError).
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
    const why = error instanceof SyntaxError ? error.message : 'nested too deeply';
    const message = `${file.path} is not valid ${client.format.name} (${why}).`;
    throw new ImportRefused(
      'import.broken',
      message,
      `fix it, then: tidegate import ${shellWord(client.name)}`,
    );
  }
}
