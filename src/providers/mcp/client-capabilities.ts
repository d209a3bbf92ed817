import type { Client, Exchange, QuestionMethod } from '../../core/index.js';
import { membersOf, textOf, withMembers } from '../../lib/json-text.js';
import type { RootsRule } from './roots.js';

const tasks = 'io.modelcontextprotocol/tasks';
const questionCapabilities: readonly (readonly [string, QuestionMethod])[] = [
  ['elicitation', 'elicitation/create'],
  ['sampling', 'sampling/createMessage'],
  ['roots', 'roots/list'],
];

/** The client capabilities sent to a server with protocol version 2026-07-28: the caller's own, minus what we cannot carry. */
export type CapabilityFilter = (client: Client, exchange: Exchange) => string;

export function createCapabilityFilter(roots: RootsRule | undefined): CapabilityFilter {
  const known = new WeakMap<Client, Map<string, string>>();
  return (client, exchange) => {
    const missing = questionCapabilities.filter(
      ([name, method]) => !exchange.canAnswer(method) || (name === 'roots' && roots?.kind !== 'caller'),
    );
    const key = missing.map(([name]) => name).join(' ');
    const byKey = known.get(client) ?? new Map<string, string>();
    const found =
      byKey.get(key) ??
      capabilitiesText(
        client,
        missing.map(([name]) => name),
        roots?.kind === 'folders',
      );
    byKey.set(key, found);
    known.set(client, byKey);
    return found;
  };
}

/** Tasks are removed, because polling them through the gateway is not supported. */
function capabilitiesText(client: Client, missing: readonly string[], addsRoots: boolean): string {
  const { text } = client.capabilities;
  if (!text.trimStart().startsWith('{')) return addsRoots ? '{"roots":{}}' : '{}';
  const extensions = textOf(text, membersOf(text), 'extensions');
  return withMembers(text, {
    tasks: undefined,
    ...Object.fromEntries(missing.map((name) => [name, undefined])),
    ...(addsRoots && { roots: '{}' }),
    ...(extensions?.startsWith('{') === true && {
      extensions: withMembers(extensions, { [tasks]: undefined }),
    }),
  });
}
