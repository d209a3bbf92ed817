import { spawn } from 'node:child_process';
import { type HttpGate, type Place, program } from '../support/gate.js';
import { type HttpClient, modernHeaders, openHttpClient, openLegacySession } from '../support/http-client.js';
import {
  envelope,
  type LineClient,
  type Message,
  openLineClient,
  requestLine,
  textOfResult,
} from '../support/line-client.js';

const markPattern = /mk-[0-9a-z]+-[0-9a-z]+/g;

/** A client that looks at every text it gets for marks that are not its own. */
export interface MarkedClient {
  readonly kind: string;
  readonly mark: string;
  /** Texts that carried another client's mark. */
  readonly foreign: string[];
  /** How many texts it got, of whatever kind. */
  seen(): number;
  /** Calls a tool and gives the text of its result, or undefined where the call failed. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  /** Starts a call and leaves before the answer comes; what follows uses a new connection. */
  abandon(name: string, args: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
}

interface Watch {
  readonly foreign: string[];
  see(text: string): void;
  seen(): number;
}

/** The checker: any mark in a text but one's own is a foreign byte. */
function createWatch(mark: string): Watch {
  const foreign: string[] = [];
  let seen = 0;
  return {
    foreign,
    seen: () => seen,
    see(text) {
      seen += 1;
      const marks = text.match(markPattern) ?? [];
      if (marks.some((found) => found !== mark)) foreign.push(text.slice(0, 500));
    },
  };
}

const capabilities = { elicitation: { form: {} } };
const answerFor = (mark: string): unknown => ({ action: 'accept', content: { mark } });
const limitMs = 60_000;

/** A client of the legacy era over HTTP, with its own session and its own stream for what belongs to no call. */
export async function openLegacyHttp(
  gate: Pick<HttpGate, 'base'>,
  mark: string,
  answerMs = 0,
): Promise<MarkedClient> {
  const watch = createWatch(mark);
  let client: HttpClient;
  let headers: Readonly<Record<string, string>>;
  let lastId = 0;
  const listening = new AbortController();

  async function connect(): Promise<void> {
    client = openHttpClient(gate.base, 8);
    headers = await openLegacySession(client, capabilities);
    const level = requestLine('"level"', 'logging/setLevel', { level: 'debug' });
    await client.send('/mcp', level, { headers });
    const options = { headers, method: 'GET', signal: listening.signal, limitMs: 600_000 };
    const onMessage = (_message: Message, text: string): void => watch.see(text);
    client.send('/mcp', '', { ...options, onMessage }).catch(() => undefined);
  }

  function post(name: string, args: unknown, signal?: AbortSignal): ReturnType<HttpClient['send']> {
    lastId += 1;
    const params = { name, arguments: args, _meta: { progressToken: lastId } };
    return client.send('/mcp', requestLine(String(lastId), 'tools/call', params), {
      headers,
      limitMs,
      ...(signal && { signal }),
      onMessage(message, text) {
        watch.see(text);
        if (message.method === 'elicitation/create') void answer(message.id);
      },
    });
  }

  async function answer(id: unknown): Promise<void> {
    await pause(answerMs);
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: answerFor(mark) });
    await client.send('/mcp', text, { headers }).catch(() => undefined);
  }

  await connect();
  return {
    kind: 'legacy HTTP',
    mark,
    foreign: watch.foreign,
    seen: watch.seen,
    async call(name, args) {
      const { text, messages } = await post(name, { ...args, mark });
      watch.see(text);
      const last = messages.at(-1);
      return last?.result && textOfResult(last);
    },
    async abandon(name, args) {
      const controller = new AbortController();
      const gone = post(name, { ...args, mark }, controller.signal).catch(() => undefined);
      await pause(1);
      controller.abort();
      await gone;
    },
    async close() {
      listening.abort();
      client.close();
    },
  };
}

/** A client of 2026-07-28 over HTTP: every request stands alone, questions come as rounds. */
export async function openModernHttp(
  gate: Pick<HttpGate, 'base'>,
  mark: string,
  answerMs = 0,
): Promise<MarkedClient> {
  const watch = createWatch(mark);
  const client = openHttpClient(gate.base, 8);
  let lastId = 0;

  async function post(
    name: string,
    args: unknown,
    more: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Message | undefined> {
    lastId += 1;
    const meta = envelope({
      progressToken: lastId,
      'io.modelcontextprotocol/logLevel': 'debug',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    });
    const line = requestLine(String(lastId), 'tools/call', { name, arguments: args, ...more, _meta: meta });
    const { text, messages } = await client.send('/mcp', line, {
      headers: modernHeaders('tools/call', name),
      limitMs,
      ...(signal && { signal }),
      onMessage: (_message, part) => watch.see(part),
    });
    watch.see(text);
    return messages.at(-1);
  }

  return {
    kind: 'modern HTTP',
    mark,
    foreign: watch.foreign,
    seen: watch.seen,
    async call(name, args) {
      const all = { ...args, mark };
      return inRounds(mark, (more) => post(name, all, more), answerMs);
    },
    async abandon(name, args) {
      const controller = new AbortController();
      const gone = post(name, { ...args, mark }, {}, controller.signal).catch(() => undefined);
      await pause(1);
      controller.abort();
      await gone;
    },
    close: async () => client.close(),
  };
}

/** A client over stdio whose gate carries everything to a running one. Leaving means that its process is gone. */
export async function openViaCallTool(
  place: Place,
  gate: Pick<HttpGate, 'url'>,
  mark: string,
  protocol: 'legacy' | 'modern',
): Promise<MarkedClient> {
  const watch = createWatch(mark);
  let client: LineClient;
  let lastId = 0;

  async function connect(): Promise<void> {
    const args = [program, 'mcp', '--via', gate.url];
    client = openLineClient(
      spawn(process.execPath, args, { env: place.env, stdio: ['pipe', 'pipe', 'pipe'] }),
    );
    client.onLine(({ message, text }) => {
      watch.see(text);
      if (message.method !== 'elicitation/create') return;
      client.send(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answerFor(mark) })}\n`);
    });
    if (protocol === 'modern') return;
    await client.initialize(capabilities);
    await client.request('logging/setLevel', { level: 'debug' });
  }

  async function post(
    name: string,
    args: unknown,
    more: Readonly<Record<string, unknown>>,
  ): Promise<Message> {
    lastId += 1;
    const meta =
      protocol === 'legacy'
        ? { progressToken: lastId }
        : envelope({
            progressToken: lastId,
            'io.modelcontextprotocol/logLevel': 'debug',
            'io.modelcontextprotocol/clientCapabilities': capabilities,
          });
    const line = requestLine(String(lastId), 'tools/call', { name, arguments: args, ...more, _meta: meta });
    return (await client.ask(String(lastId), `${line}\n`, limitMs)).message;
  }

  await connect();
  return {
    kind: `${protocol} stdio`,
    mark,
    foreign: watch.foreign,
    seen: watch.seen,
    async call(name, args) {
      const all = { ...args, mark };
      return inRounds(mark, (more) => post(name, all, more));
    },
    async abandon(name, args) {
      const gone = post(name, { ...args, mark }, {}).catch(() => undefined);
      client.child.kill('SIGKILL');
      await gone;
      await connect();
    },
    async close() {
      client.child.stdin.end();
      await client.ended;
    },
  };
}

/** Repeats a call with answers for as long as it is asked. */
async function inRounds(
  mark: string,
  post: (more: Readonly<Record<string, unknown>>) => Promise<Message | undefined>,
  answerMs = 0,
): Promise<string | undefined> {
  let more: Readonly<Record<string, unknown>> = {};
  for (let round = 0; round < 8; round += 1) {
    const message = await post(more);
    if (message?.result?.['resultType'] !== 'input_required') return message?.result && textOfResult(message);
    const asked = message.result['inputRequests'] as Readonly<Record<string, unknown>>;
    const inputResponses = Object.fromEntries(Object.keys(asked).map((key) => [key, answerFor(mark)]));
    await pause(answerMs);
    more = { inputResponses, requestState: message.result['requestState'] };
  }
  return undefined;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
