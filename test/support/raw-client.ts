import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, type HttpGate, type Place, spawnStdioGate } from './gate.js';
import { membersOf } from './raw-json.js';
import type { Protocol } from './upstreams.js';

/** A question of the server, as it came. */
export interface RawAsk {
  readonly method: string;
  readonly params: string;
}

export interface RawAnswer {
  /** The whole message. */
  readonly text: string;
  /** Undefined where an error came. */
  readonly result: string | undefined;
  readonly error: string | undefined;
  /** Over HTTP only. */
  readonly status?: number;
}

export interface RawClientOptions {
  readonly protocol: Protocol;
  /** The client's capabilities as JSON text. */
  readonly capabilities?: string;
  /** The text of the result with which a legacy client answers a question; undefined leaves it open. */
  readonly answer?: (ask: RawAsk) => string | undefined;
}

export interface RequestMore {
  /** Members of `_meta` as text, such as `"progressToken":7`. */
  readonly meta?: string;
  readonly id?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Between the tokens of the message, where JSON allows white space. */
  readonly space?: string;
}

/** A client that speaks in texts and hears in texts: nothing is parsed and written anew on the way. */
export interface RawClient {
  readonly protocol: Protocol;
  /** Every notification and request that came, in order. */
  readonly heard: readonly string[];
  /** `members` are those of `params` as text, such as `"name":"x","arguments":{}`. */
  request(method: string, members: string, more?: RequestMore): Promise<RawAnswer>;
  notify(method: string, members: string): Promise<void>;
  close(): Promise<void>;
}

const prefix = 'io.modelcontextprotocol/';
const requestMs = 20_000;

/** The members that every modern request carries in its `_meta`. */
function envelope(capabilities = '{}'): string {
  return `"${prefix}protocolVersion":"2026-07-28","${prefix}clientInfo":{"name":"raw","version":"1"},"${prefix}clientCapabilities":${capabilities}`;
}

function paramsText(options: RawClientOptions, members: string, meta: string | undefined): string {
  const stamps = options.protocol === 'modern' ? envelope(options.capabilities) : undefined;
  const inner = [meta, stamps].filter((part) => part !== undefined && part !== '').join(',');
  return `{${[members, ...(inner === '' ? [] : [`"_meta":{${inner}}`])].filter((part) => part !== '').join(',')}}`;
}

/** Who waits for which answer, and what came besides. */
function createInbox(options: RawClientOptions, send: (text: string) => void) {
  const waiting = new Map<string, (text: string) => void>();
  const heard: string[] = [];
  return {
    heard,
    take(text: string): void {
      const message = membersOf(text);
      const [id, method] = [message.get('id'), message.get('method')];
      if (method === undefined) return waiting.get(id ?? 'null')?.(text);
      heard.push(text);
      if (id === undefined) return;
      const ask = { method: JSON.parse(method) as string, params: message.get('params') ?? '{}' };
      const result = options.answer?.(ask);
      if (result !== undefined) send(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
    },
    expect(id: string, what: string, limitMs: number): Promise<string> {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(id);
          reject(new Error(`no answer to ${what} within ${String(limitMs)} ms`));
        }, limitMs);
        waiting.set(id, (text) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(text);
        });
      });
    },
  };
}

function readAnswer(text: string, status?: number): RawAnswer {
  const message = membersOf(text);
  return {
    text,
    result: message.get('result'),
    error: message.get('error'),
    ...(status !== undefined && { status }),
  };
}

const hello = (options: RawClientOptions): string =>
  `"protocolVersion":"2025-11-25","capabilities":${options.capabilities ?? '{}'},"clientInfo":{"name":"raw","version":"1"}`;

function spread(text: string, space: string | undefined): string {
  if (space === undefined) return text;
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g, (part) =>
    part.length === 1 ? `${space}${part}${space}` : part,
  );
}

/** Starts `tidegate mcp` and speaks with it over its pipes. */
export async function openRawStdio(
  place: Place,
  options: RawClientOptions,
  ...args: readonly string[]
): Promise<RawClient & { readonly pid: number; readonly said: () => string }> {
  const child = spawnStdioGate(place, ...args);
  const write = (text: string): void => void child.stdin.write(`${text}\n`);
  const inbox = createInbox(options, write);
  let said = '';
  let rest = Buffer.alloc(0);
  let count = 0;
  child.stdin.on('error', () => undefined);
  child.stderr.on('data', (part: Buffer) => {
    said = (said + part.toString()).slice(-1_000_000);
  });
  child.stdout.on('data', (part: Buffer) => {
    rest = Buffer.concat([rest, part]);
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      inbox.take(rest.subarray(0, at).toString('utf8'));
      rest = rest.subarray(at + 1);
    }
  });
  const client: RawClient & { readonly pid: number; readonly said: () => string } = {
    protocol: options.protocol,
    heard: inbox.heard,
    pid: child.pid ?? -1,
    said: () => said,
    async request(method, members, more = {}) {
      count += 1;
      const id = more.id ?? String(count);
      const answer = inbox.expect(id, `${method}; stderr: ${said.slice(-2000)}`, more.timeoutMs ?? requestMs);
      const params = paramsText(options, members, more.meta);
      write(spread(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`, more.space));
      more.signal?.addEventListener('abort', () => {
        write(
          `{"jsonrpc":"2.0","method":"notifications/cancelled","params":${paramsText(options, `"requestId":${id}`, undefined)}}`,
        );
      });
      return readAnswer(await answer);
    },
    async notify(method, members) {
      write(`{"jsonrpc":"2.0","method":"${method}","params":${paramsText(options, members, undefined)}}`);
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.stdin.end();
      const timer = setTimeout(() => void endProcess(child), 5000);
      await gone;
      clearTimeout(timer);
    },
  };
  if (options.protocol === 'legacy') {
    await client.request('initialize', hello(options));
    await client.notify('notifications/initialized', '');
  }
  return client;
}

/** The token that a gate made at its first start. */
export function tokenOf(place: Place): string {
  return readFileSync(join(place.env['TIDEGATE_HOME'] ?? '', 'token'), 'utf8').trim();
}

/** Speaks with a running `tidegate serve`. */
export async function openRawHttp(
  gate: Pick<HttpGate, 'url'>,
  token: string,
  options: RawClientOptions,
): Promise<RawClient> {
  const inbox = createInbox(options, (text) => void post(text, {}));
  const closing = new AbortController();
  let session: string | undefined;
  let count = 0;

  function headers(more: Readonly<Record<string, string>>): Record<string, string> {
    return {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      ...(options.protocol === 'modern' && { 'mcp-protocol-version': '2026-07-28' }),
      ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
      ...more,
    };
  }

  async function post(
    body: string,
    more: Readonly<Record<string, string>>,
    signal: AbortSignal = closing.signal,
  ): Promise<number> {
    const all = headers({ 'content-type': 'application/json', ...more });
    const response = await fetch(gate.url, { method: 'POST', headers: all, body, signal });
    session ??= response.headers.get('mcp-session-id') ?? undefined;
    await readMessages(response, inbox.take);
    return response.status;
  }

  const client: RawClient = {
    protocol: options.protocol,
    heard: inbox.heard,
    async request(method, members, more = {}) {
      count += 1;
      const id = more.id ?? String(count);
      const params = paramsText(options, members, more.meta);
      const answer = inbox.expect(id, method, more.timeoutMs ?? requestMs);
      const text = spread(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`, more.space);
      const mirrored = options.protocol === 'modern' ? mirror(method, params) : {};
      const posted = post(
        text,
        mirrored,
        more.signal ? AbortSignal.any([closing.signal, more.signal]) : closing.signal,
      );
      posted.catch(() => undefined);
      const first = await Promise.race([answer, posted.then(() => answer)]);
      return readAnswer(first, await posted.catch(() => undefined));
    },
    async notify(method, members) {
      const text = `{"jsonrpc":"2.0","method":"${method}","params":${paramsText(options, members, undefined)}}`;
      await post(text, options.protocol === 'modern' ? { 'mcp-method': method } : {});
    },
    async close() {
      if (session !== undefined) await fetch(gate.url, { method: 'DELETE', headers: headers({}) });
      closing.abort();
    },
  };
  if (options.protocol === 'legacy') {
    await client.request('initialize', hello(options));
    await client.notify('notifications/initialized', '');
    const stream = await fetch(gate.url, { headers: headers({}), signal: closing.signal });
    readMessages(stream, inbox.take).catch(() => undefined);
  }
  return client;
}

/** The headers that repeat parts of a modern request. */
function mirror(method: string, params: string): Record<string, string> {
  const members = membersOf(params);
  const name = method === 'resources/read' ? members.get('uri') : members.get('name');
  const isNamed = ['tools/call', 'prompts/get', 'resources/read'].includes(method);
  return {
    'mcp-method': method,
    ...(isNamed && name !== undefined && { 'mcp-name': headerValue(JSON.parse(name) as string) }),
  };
}

function headerValue(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

async function readMessages(response: Response, take: (text: string) => void): Promise<void> {
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    const text = await response.text();
    if (text.trim() !== '') take(text);
    return;
  }
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body) {
    rest += decoder.decode(chunk as Uint8Array, { stream: true });
    for (let at = rest.indexOf('\n\n'); at >= 0; at = rest.indexOf('\n\n')) {
      const data = rest
        .slice(0, at)
        .split('\n')
        .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
      rest = rest.slice(at + 2);
      if (data.length > 0) take(data.join('\n'));
    }
  }
}
