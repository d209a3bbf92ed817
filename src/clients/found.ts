import {
  CannotRead,
  type Client,
  type ClientFile,
  type ClientPlace,
  type ClientServer,
  type Section,
} from './client.js';
import { isTidegateEntry } from './tidegate-entry.js';
import { isJsonObject, type Json, type JsonObject, objectAt } from './json-value.js';

/** A server found in a client file. */
export interface FoundServer {
  readonly name: string;
  readonly section: Section;
  readonly entry: JsonObject;
  /** Absent if the gateway cannot start it. */
  readonly server?: ClientServer;
  /** Why there is no server; completes a sentence that begins with "it". */
  readonly why?: string;
  /** Whether the entry starts Tidegate itself. */
  readonly isTidegate: boolean;
}

/** All servers of a file, in file order. Throws if the text cannot be parsed. */
export function serversIn(
  client: Client,
  text: string,
  file: ClientFile,
  place: ClientPlace,
): readonly FoundServer[] {
  const root = client.format.parse(text);
  return client.sections(root, file, place).flatMap((section) =>
    Object.entries(objectAt(root, section.path)).flatMap(([name, entry]) => {
      if (!isJsonObject(entry)) return [];
      return [
        {
          name,
          section,
          entry,
          isTidegate: isTidegateEntry(entry),
          ...readOne(client, { name, entry, section, place }),
        },
      ];
    }),
  );
}

interface One {
  readonly name: string;
  readonly entry: JsonObject;
  readonly section: Section;
  readonly place: ClientPlace;
}

function readOne(client: Client, { name, entry, section, place }: One): Pick<FoundServer, 'server' | 'why'> {
  try {
    assertModest(name);
    assertModest(entry);
    const server = client.read(entry, section, place);
    return { server: { ...server, isEnabled: server.isEnabled && section.isOff?.(name) !== true } };
  } catch (error) {
    if (error instanceof CannotRead) return { why: error.message };
    throw error;
  }
}

const longestName = 128;
const longestText = 64 * 1024;

/** No real setting is this long, and searching a longer one would take too much time. */
function assertModest(value: Json): void {
  if (typeof value === 'string' && value.length > longestText)
    throw new CannotRead(`has a value longer than ${String(longestText / 1024)} KiB`);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key.length > longestName)
      throw new CannotRead(`has a name longer than ${String(longestName)} characters`);
    assertModest(inner as Json);
  }
}
