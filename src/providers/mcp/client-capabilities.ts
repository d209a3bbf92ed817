import {
  type Client,
  type Exchange,
  membersOf,
  type QuestionMethod,
  textOf,
  withMembers,
} from '../../kernel/index.js';

const tasks = 'io.modelcontextprotocol/tasks';
const questionCapabilities: readonly (readonly [string, QuestionMethod])[] = [
  ['elicitation', 'elicitation/create'],
  ['sampling', 'sampling/createMessage'],
  ['roots', 'roots/list'],
];

/** What a server of the modern era is told that the caller can do: its own words, less what cannot be carried. */
export type CapabilityFilter = (client: Client, exchange: Exchange) => string;

export function createCapabilityFilter(): CapabilityFilter {
  const known = new WeakMap<Client, Map<string, string>>();
  return (client, exchange) => {
    const missing = questionCapabilities.filter(([, method]) => !exchange.canAnswer(method));
    const key = missing.map(([name]) => name).join(' ');
    const byKey = known.get(client) ?? new Map<string, string>();
    const found =
      byKey.get(key) ??
      capabilitiesText(
        client,
        missing.map(([name]) => name),
      );
    byKey.set(key, found);
    known.set(client, byKey);
    return found;
  };
}

/** Tasks would have to be polled through us, and we do not carry that. */
function capabilitiesText(client: Client, missing: readonly string[]): string {
  const { text } = client.capabilities;
  if (!text.trimStart().startsWith('{')) return '{}';
  const extensions = textOf(text, membersOf(text), 'extensions');
  return withMembers(text, {
    tasks: undefined,
    ...Object.fromEntries(missing.map((name) => [name, undefined])),
    ...(extensions?.startsWith('{') === true && {
      extensions: withMembers(extensions, { [tasks]: undefined }),
    }),
  });
}
