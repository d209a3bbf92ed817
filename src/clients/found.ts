import {
  CannotRead,
  type Client,
  type ClientFile,
  type ClientPlace,
  type ClientServer,
  type Section,
} from './client.js';
import { isGate } from './is-gate.js';
import { isJsonObject, type JsonObject, objectAt } from './json-value.js';

/** A server that stands in a file of a client. */
export interface FoundServer {
  readonly name: string;
  readonly section: Section;
  readonly entry: JsonObject;
  /** Absent: the gate cannot start it. */
  readonly server?: ClientServer;
  /** Why there is no server, as the end of "it …". */
  readonly why?: string;
  /** It is a gate of ours. */
  readonly isGate: boolean;
}

/** All servers of a file, in its order. Throws where the text cannot be read. */
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
        { name, section, entry, isGate: isGate(entry), ...readOne(client, { name, entry, section, place }) },
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
    const server = client.read(entry, section, place);
    return { server: { ...server, isEnabled: server.isEnabled && section.isOff?.(name) !== true } };
  } catch (error) {
    if (error instanceof CannotRead) return { why: error.message };
    throw error;
  }
}
