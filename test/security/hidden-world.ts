import { makeToken, openAccessPlace } from '../support/access-place.js';
import {
  endProcess,
  type HttpGate,
  openHttpGate,
  type Place,
  spawnStdioGate,
  waitFor,
} from '../support/gate.js';
import { mcpHeaders, modernHeaders, openHttpClient, openLegacySession } from '../support/http-client.js';
import { envelope, openLineClient, requestLine } from '../support/line-client.js';
import { pagingServer } from '../support/listing.js';
import { tokenOf } from '../support/raw-client.js';
import {
  type Protocol,
  openScripted,
  type Script,
  type ScriptedUpstream,
  type Wire,
} from '../support/upstreams.js';

/** Words that only what is hidden has. */
export const marks = ['secret', 'vault', 'plans', 'hush', 'handshake', 'growing', 'Bash'] as const;

/** Why it is hidden: in each of these profiles, the same things are. */
export const profiles = {
  default_profile: 'none',
  profiles: {
    'no-server': { tools: ['Read'] },
    'one-server': { tools: ['Read', 'server:open'] },
    'all-but-blocked': { tools: ['*', '!server:secret', '!server:growing', '!Bash'] },
    'somebody-elses': { tools: ['server:secret', 'secret_vault', 'Bash'] },
  },
  principals: {
    'agent:mallory': { profile: 'one-server', add: ['secret_vault', 'server:secret/plans', 'Bash'] },
  },
} as const;
export const hidings = ['no-server', 'one-server', 'all-but-blocked'] as const;

const tool = (name: string): string => `{"name":"${name}","inputSchema":{"type":"object"}}`;
const update = '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"hush://1"}}';
const murmur =
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"handshake"}}';
const said = (text: string) => ({ result: `{"content":[{"type":"text","text":"${text}"}]}` });

const secretScript: Script = {
  instructions: 'Say the handshake.',
  lists: {
    'tools/list': [tool('vault'), tool('stir')],
    'prompts/list': ['{"name":"plans","arguments":[{"name":"a"}]}'],
    'resources/list': ['{"uri":"hush://1","name":"hush"}', '{"uri":"both://1","name":"hush"}'],
    'resources/templates/list': ['{"uriTemplate":"hush://{id}/x","name":"hush"}'],
  },
  answers: {
    'tools/call': { vault: said('vault'), stir: { ...said('stirred'), notices: [update, murmur] } },
    'prompts/get': { plans: { result: '{"messages":[]}' } },
    'resources/read': { 'hush://1': { result: '{"contents":[]}' } },
  },
};
const openScript: Script = {
  instructions: 'Open to all.',
  lists: {
    'tools/list': [tool('a')],
    'prompts/list': ['{"name":"p","arguments":[{"name":"a"}]}'],
    'resources/list': ['{"uri":"open://1","name":"o"}'],
    'resources/templates/list': ['{"uriTemplate":"open://{id}","name":"o"}'],
  },
  answers: {
    'tools/call': { a: said('a') },
    'completion/complete': { p: { result: '{"completion":{"values":["x"]}}' } },
  },
};

/** A gate with a server that is open, and two that alice must not learn of. */
export interface HiddenWorld {
  readonly place: Place;
  readonly gate: HttpGate;
  readonly secret: ScriptedUpstream;
  /** Alice, within one of the profiles. */
  connect(wire: Wire, protocol: Protocol, profile: string): Promise<Voice>;
  token(profile: string): Promise<string>;
  close(): Promise<void>;
}

export async function openHiddenWorld(): Promise<HiddenWorld> {
  const [open, secret] = await Promise.all([
    openScripted('stdio', 'legacy', openScript),
    openScripted('stdio', 'legacy', secretScript),
  ]);
  const growing = pagingServer({ tools: 3 });
  const servers = { secret: secret.entry, growing, open: open.entry };
  const place = openAccessPlace({ servers, builtins: ['Read', 'Bash'] }, profiles);
  const gate = await openHttpGate(place);
  const tokens = new Map<string, Promise<string>>();
  const token = (profile: string): Promise<string> => {
    const known = tokens.get(profile) ?? newToken(place, profile);
    tokens.set(profile, known);
    return known;
  };
  // Everything is listed from here on, for whoever comes.
  await waitFor(
    async () => (await toolNames(gate, tokenOf(place))).includes('secret_vault'),
    20_000,
    () => `the servers did not start: ${gate.said()}`,
  );
  return {
    place,
    gate,
    secret,
    token,
    connect: async (wire, protocol, profile) =>
      wire === 'stdio'
        ? openStdioVoice(place, protocol, '--as', 'agent:alice', '--profile', profile)
        : openHttpVoice(gate, protocol, await token(profile)),
    async close() {
      await gate.close();
      await Promise.all([open.close(), secret.close()]);
      place.close();
    },
  };
}

async function newToken(place: Place, profile: string): Promise<string> {
  return (await makeToken(place, '--as', 'agent:alice', '--profile', profile)).secret;
}

async function toolNames(gate: HttpGate, token: string): Promise<readonly string[]> {
  const answer = await fetch(`${gate.base}/api/tools`, { headers: { authorization: `Bearer ${token}` } });
  const { tools } = (await answer.json()) as { readonly tools: readonly { readonly name: string }[] };
  return tools.map(({ name }) => name);
}

/** Somebody who sees every byte of what comes back. */
export interface Voice {
  /** Over HTTP with status and headers. */
  ask(method: string, params: Readonly<Record<string, unknown>>, id?: string): Promise<string>;
  /** What the gate said at the beginning. */
  readonly greeting: string;
  /** What came unasked, over stdio. */
  heard(): readonly string[];
  close(): Promise<void>;
}

const idOf = (count: number): string => `id-${String(count).padStart(9, '0')}`;

export async function openStdioVoice(
  place: Place,
  protocol: Protocol,
  ...args: readonly string[]
): Promise<Voice> {
  const child = spawnStdioGate(place, ...args);
  const client = openLineClient(child);
  let count = 0;
  const ask: Voice['ask'] = async (method, params, id = idOf((count += 1))) => {
    const whole = protocol === 'modern' ? { ...params, _meta: envelope() } : params;
    const rawId = JSON.stringify(id);
    return (await client.ask(rawId, `${requestLine(rawId, method, whole)}\n`, 20_000)).text;
  };
  const greeting =
    protocol === 'legacy' ? (await client.initialize()).text : await ask('server/discover', {}, 'greeting');
  return {
    ask,
    greeting,
    heard: () => [...client.unclaimed.map(({ text }) => text), ...client.broken],
    close: () => endProcess(child),
  };
}

export async function openHttpVoice(gate: HttpGate, protocol: Protocol, token: string): Promise<Voice> {
  const client = openHttpClient(gate.base, 1);
  const authorization = `Bearer ${token}`;
  const session = protocol === 'legacy' ? await openLegacySession(client, {}, { authorization }) : undefined;
  let count = 0;
  const headersFor = (method: string, params: Readonly<Record<string, unknown>>) =>
    session ?? { ...modernHeaders(method, mirrored(method, params)), authorization };
  const ask: Voice['ask'] = async (method, params, id = idOf((count += 1))) => {
    const whole = protocol === 'modern' ? { ...params, _meta: envelope() } : params;
    const body = requestLine(JSON.stringify(id), method, whole);
    const { status, headers, text } = await client.send('/mcp', body, {
      headers: headersFor(method, params),
    });
    const shown = Object.entries(headers).filter(([name]) => name !== 'date');
    return [String(status), ...shown.map(([name, value]) => `${name}: ${String(value)}`), text].join('\n');
  };
  const greeting =
    protocol === 'modern'
      ? await ask('server/discover', {}, 'greeting')
      : await legacyGreeting(gate, authorization);
  return { ask, greeting, heard: () => [], close: () => Promise.resolve(client.close()) };
}

async function legacyGreeting(gate: HttpGate, authorization: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'v', version: '1' } };
  const body = requestLine('1', 'initialize', params);
  const answer = await fetch(gate.url, { method: 'POST', headers: { ...mcpHeaders, authorization }, body });
  return answer.text();
}

function mirrored(method: string, params: Readonly<Record<string, unknown>>): string | undefined {
  if (method === 'resources/read') return String(params['uri']);
  return method === 'tools/call' || method === 'prompts/get' ? String(params['name']) : undefined;
}
