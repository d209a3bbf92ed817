import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable } from 'node:stream';

export interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** One line of the program: its text, what it means, and its id exactly as written. */
export interface Received {
  readonly text: string;
  readonly message: Message;
  readonly rawId: string | undefined;
}

/** A client that speaks lines to a child, believes nothing, and keeps what nobody waited for. */
export interface LineClient {
  readonly child: ChildProcessWithoutNullStreams;
  /** Lines that no request of ours waited for, in order. */
  readonly unclaimed: Received[];
  /** Lines that are not JSON objects. */
  readonly broken: string[];
  stderr(): string;
  send(bytes: string | Uint8Array): void;
  /** Sends a line and waits for the answer that bears the id, an id in its source text. */
  ask(rawId: string, line: string | Uint8Array, limitMs?: number): Promise<Received>;
  request(method: string, params?: unknown, limitMs?: number): Promise<Received>;
  notify(method: string, params?: unknown): void;
  /** Shakes hands in the legacy era. */
  initialize(capabilities?: unknown): Promise<Received>;
  onLine(listener: (line: Received) => void): void;
  readonly isOver: boolean;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

const idPattern = /^\s*\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|-?\d+|null)/;

export function openLineClient(child: ChildProcessWithoutNullStreams): LineClient {
  const waiting = new Map<string, (line: Received) => void>();
  const listeners: ((line: Received) => void)[] = [];
  const unclaimed: Received[] = [];
  const broken: string[] = [];
  let said = '';
  let lastId = 0;
  let isOver = false;

  child.stderr.on('data', (part: Buffer) => {
    said = (said + part.toString()).slice(-20_000);
  });
  child.stdin.on('error', () => {
    // The program went away; whoever waits is told by `ended`.
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => {
      isOver = true;
      resolve({ code, signal });
    });
  });
  onLines(child.stdout, (text) => {
    const message = parsed(text);
    if (message === undefined) return void broken.push(text);
    const rawId = message.method === undefined ? rawIdOf(text, message) : undefined;
    const line: Received = { text, message, rawId };
    for (const listener of listeners) listener(line);
    const claim = rawId === undefined ? undefined : waiting.get(rawId);
    if (rawId === undefined || claim === undefined) return void unclaimed.push(line);
    waiting.delete(rawId);
    claim(line);
  });

  function ask(rawId: string, line: string | Uint8Array, limitMs = 10_000): Promise<Received> {
    return new Promise((resolve, reject) => {
      const complain = (why: string): void => {
        waiting.delete(rawId);
        const shown = Buffer.from(line).toString('latin1').slice(0, 300);
        reject(new Error(`${why} for id ${rawId}: ${shown}\n${said.slice(-2000)}`));
      };
      const timer = setTimeout(() => complain(`no answer within ${String(limitMs)} ms`), limitMs);
      void ended.then(() => {
        clearTimeout(timer);
        complain('the program ended before it answered');
      });
      waiting.set(rawId, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      send(line);
    });
  }

  function send(bytes: string | Uint8Array): void {
    child.stdin.write(bytes);
  }

  const client: LineClient = {
    child,
    unclaimed,
    broken,
    stderr: () => said,
    send,
    ask,
    request(method, params, limitMs) {
      lastId += 1;
      const id = `"request-${String(lastId)}"`;
      return ask(id, `${requestLine(id, method, params)}\n`, limitMs);
    },
    notify: (method, params) => send(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`),
    async initialize(capabilities = {}) {
      const clientInfo = { name: 'line-client', version: '1' };
      const answer = await client.request(
        'initialize',
        { protocolVersion: '2025-11-25', capabilities, clientInfo },
        30_000,
      );
      client.notify('notifications/initialized');
      return answer;
    },
    onLine: (listener) => void listeners.push(listener),
    get isOver() {
      return isOver;
    },
    ended,
  };
  return client;
}

/** A request with its id written as given. */
export function requestLine(rawId: string, method: string, params?: unknown): string {
  const tail = params === undefined ? '' : `,"params":${JSON.stringify(params)}`;
  return `{"jsonrpc":"2.0","id":${rawId},"method":${JSON.stringify(method)}${tail}}`;
}

/** What every request of 2026-07-28 says about its sender. */
export function envelope(more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'line-client', version: '1' },
    ...more,
  };
}

export function textOfResult(message: Message): string {
  const content = message.result?.['content'];
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return typeof first === 'object' && first !== null && 'text' in first ? String(first.text) : '';
}

/** As written where we can tell; other writers put the id elsewhere. */
function rawIdOf(text: string, { id }: Message): string {
  return idPattern.exec(text)?.[1] ?? JSON.stringify(id ?? null);
}

function parsed(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Only a line feed ends a line: readline also cuts at U+2028. */
function onLines(stream: Readable, listener: (line: string) => void): void {
  let parts: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, at));
      listener(Buffer.concat(parts).toString('utf8'));
      parts = [];
      from = at + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  });
}
