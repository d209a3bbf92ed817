import { elementsOf, type JsonText, membersOf, textOf } from '../../lib/json-text.js';
import type { Log } from '../../ports/log.js';
import type { KeptCatalogue } from './memory-port.js';
import { describeReply } from './outcome.js';
import { isRecord, type ListName, type Peer } from './peer.js';

const maxPages = 1000;
const maxLength = 64 * 1024 * 1024;

const members: Readonly<Record<ListName, string>> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  templates: 'resourceTemplates',
};

export interface Listed {
  readonly catalogue: KeptCatalogue;
  /** False if something could not be listed. */
  readonly isWhole: boolean;
}

/** Lists the named lists again. A list that fails keeps its previous content. */
export async function listAgain(
  peer: Peer,
  lists: readonly ListName[],
  before: KeptCatalogue | undefined,
  log: Log,
): Promise<Listed> {
  const listed: Partial<Record<ListName, readonly string[]>> = {};
  const { abilities, instructions } = peer;
  let isWhole = true;
  for (const list of lists) {
    const isOffered = abilities[list === 'templates' ? 'resources' : list];
    const found = isOffered ? await listAll(peer, list, log) : [];
    if (found === undefined) isWhole = false;
    else listed[list] = found;
  }
  const catalogue = {
    tools: before?.tools ?? [],
    prompts: before?.prompts ?? [],
    resources: before?.resources ?? [],
    templates: before?.templates ?? [],
    ...listed,
    ...(instructions !== undefined && { instructions }),
    hasResources: abilities.resources,
  };
  return { catalogue, isWhole };
}

/** Reads all pages. Stops at a repeated cursor, too many pages or too much text. */
async function listAll(peer: Peer, list: ListName, log: Log): Promise<readonly string[] | undefined> {
  const found: string[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let length = 0;
  for (let page = 0; page < maxPages; page += 1) {
    const reply = await peer.listPage(list, cursor);
    if (reply.kind !== 'result') {
      // Many servers have resources but no templates, and return an error.
      if (list === 'templates' && reply.kind === 'error') return [];
      log('warn', `the server did not list its ${list}`, { reason: describeReply(reply) });
      return undefined;
    }
    for (const text of elementsIn(reply.result, members[list])) found.push(text);
    length += reply.result.text.length;
    cursor = nextCursor(reply.result);
    if (cursor === undefined) return found;
    if (seen.has(cursor) || length > maxLength) break;
    seen.add(cursor);
  }
  log('warn', `the list of ${list} did not end and was cut`, { count: found.length });
  return found;
}

function elementsIn(result: JsonText, member: string): readonly string[] {
  if (!isRecord(result.value) || !Array.isArray(result.value[member])) return [];
  return elementsOf(textOf(result.text, membersOf(result.text), member) ?? '[]');
}

function nextCursor(result: JsonText): string | undefined {
  const cursor = isRecord(result.value) ? result.value['nextCursor'] : undefined;
  return typeof cursor === 'string' ? cursor : undefined;
}
