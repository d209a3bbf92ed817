import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import type { Message } from './line-client.js';

export interface Posted {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** What came, whether as plain JSON or as events. */
  readonly messages: readonly Message[];
}

export interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly signal?: AbortSignal;
  readonly limitMs?: number;
  /** Called with the first bytes of the response: a stream is open from then on. */
  readonly onHead?: () => void;
  readonly onMessage?: (message: Message, text: string) => void;
}

/** An HTTP client that shows everything it got. `close` ends its connections. */
export interface HttpClient {
  send(path: string, body: string | Uint8Array, options?: PostOptions): Promise<Posted>;
  close(): void;
}

export const mcpHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
} as const;

export function openHttpClient(base: string, maxSockets = 64): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets });
  return {
    send: (path, body, options = {}) => post(agent, new URL(path, base), body, options),
    close: () => agent.destroy(),
  };
}

function post(agent: Agent, url: URL, body: string | Uint8Array, options: PostOptions): Promise<Posted> {
  const { signal, limitMs = 20_000, method = 'POST', onMessage } = options;
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': String(Buffer.byteLength(body)), ...options.headers };
    const request = httpRequest(url, { method, agent, headers, ...(signal && { signal }) }, (response) => {
      options.onHead?.();
      const events = createEventReader(onMessage);
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') ?? false;
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => {
        parts.push(part);
        if (isStream) events.push(part);
      });
      response.on('error', fail);
      response.on('end', () => {
        clearTimeout(timer);
        const text = Buffer.concat(parts).toString('utf8');
        const messages = isStream ? events.messages : plainMessages(text);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, messages });
      });
    });
    const timer = setTimeout(() => {
      request.destroy(new Error(`no answer within ${String(limitMs)} ms from ${url.href}`));
    }, limitMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    request.on('error', fail);
    request.end(body);
  });
}

function plainMessages(text: string): readonly Message[] {
  try {
    return [JSON.parse(text) as Message];
  } catch {
    return [];
  }
}

/** Reads events as they come; their data are messages. */
function createEventReader(onMessage: PostOptions['onMessage']): {
  readonly messages: Message[];
  push(part: Buffer): void;
} {
  const messages: Message[] = [];
  let rest: Buffer = Buffer.alloc(0);
  return {
    messages,
    push(part) {
      rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
      for (let at = rest.indexOf('\n\n'); at >= 0; at = rest.indexOf('\n\n')) {
        const block = rest.subarray(0, at).toString('utf8');
        rest = rest.subarray(at + 2);
        const data = block.split('\n').filter((line) => line.startsWith('data: '));
        if (data.length === 0) continue;
        const text = data.map((line) => line.slice(6)).join('\n');
        const message = JSON.parse(text) as Message;
        messages.push(message);
        onMessage?.(message, text);
      }
    },
  };
}

/** Opens a legacy session; the headers go with everything that follows. */
export async function openLegacySession(
  client: HttpClient,
  capabilities: unknown = {},
  more: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, string>>> {
  const clientInfo = { name: 'http-client', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
  const hello = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const { status, headers, text } = await client.send('/mcp', hello, { headers: { ...mcpHeaders, ...more } });
  const session = headers['mcp-session-id'];
  if (status !== 200 || typeof session !== 'string') throw new Error(`no session: ${String(status)} ${text}`);
  const known = { ...mcpHeaders, ...more, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
  const ready = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await client.send('/mcp', ready, { headers: known });
  return known;
}

/** The headers that a request of 2026-07-28 must carry. */
export function modernHeaders(method: string, name?: string): Readonly<Record<string, string>> {
  return {
    ...mcpHeaders,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  };
}
