import { readdirSync, readFileSync } from 'node:fs';
import { endProcess, openHttpGate, type Place, spawnStdioGate } from './gate.js';
import { modernHeaders, openHttpClient } from './http-client.js';
import { envelope, type Message, openLineClient, requestLine, textOfResult } from './line-client.js';

/** What a call came to: the text of its result, or the code of the gate's fault. */
export interface Came {
  readonly text: string | undefined;
  readonly code: string | undefined;
  readonly ms: number;
}

/** A client of a gate that counts answers. */
export interface Caller {
  readonly pid: number;
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<Came>;
  /** Calls that no answer came to in time. */
  lost(): number;
  /** Answers that nobody had asked for. */
  surplus(): readonly string[];
  /** State and restarts by server, where the gate has an admin API. */
  servers(): Promise<ReadonlyMap<string, { readonly state: string; readonly restarts: number }>>;
  /** Lets go of connections that nothing uses any more. */
  rest(): void;
  close(): Promise<void>;
}

/** Far more than any call may take. */
const lostMs = 15_000;

export async function openLineCaller(place: Place): Promise<Caller> {
  const client = openLineClient(spawnStdioGate(place));
  await client.initialize();
  let lost = 0;
  return {
    pid: client.child.pid ?? 0,
    async call(tool, args) {
      const started = performance.now();
      const answer = client.request('tools/call', { name: tool, arguments: args }, lostMs);
      const line = await answer.catch(() => undefined);
      if (line === undefined) lost += 1;
      return cameOf(line?.message, performance.now() - started);
    },
    lost: () => lost,
    surplus: () => client.unclaimed.filter(({ rawId }) => rawId !== undefined).map(({ text }) => text),
    servers: () => Promise.resolve(new Map()),
    rest: () => undefined,
    async close() {
      client.child.stdin.end();
      await client.ended;
    },
  };
}

export async function openHttpCaller(place: Place): Promise<Caller> {
  const gate = await openHttpGate(place);
  let client = openHttpClient(gate.base, 256);
  const surplus: string[] = [];
  let lost = 0;
  let lastId = 0;
  return {
    pid: gate.child.pid ?? 0,
    async call(tool, args) {
      lastId += 1;
      const id = lastId;
      const params = { name: tool, arguments: args, _meta: envelope() };
      const started = performance.now();
      const headers = modernHeaders('tools/call', tool);
      const answer = client.send('/mcp', requestLine(String(id), 'tools/call', params), {
        headers,
        limitMs: lostMs,
      });
      const posted = await answer.catch(() => undefined);
      const answers = (posted?.messages ?? []).filter((message) => message.method === undefined);
      const own = answers.filter((message) => message.id === id);
      if (own.length === 0) lost += 1;
      if (answers.length > 1 || own.length !== answers.length) surplus.push(posted?.text ?? '');
      return cameOf(own[0], performance.now() - started);
    },
    lost: () => lost,
    surplus: () => surplus,
    async servers() {
      const answer = await fetch(`${gate.base}/api/servers`);
      const { servers } = (await answer.json()) as {
        readonly servers: readonly {
          readonly id: string;
          readonly state: string;
          readonly restarts: number;
        }[];
      };
      return new Map(servers.map((server) => [server.id, server]));
    },
    rest() {
      client.close();
      client = openHttpClient(gate.base, 256);
    },
    async close() {
      client.close();
      await endProcess(gate.child);
    },
  };
}

function cameOf(message: Message | undefined, ms: number): Came {
  const structured = message?.result?.['structuredContent'] as
    | { readonly error?: { readonly code?: string } }
    | undefined;
  const code = structured?.error?.code ?? message?.error?.message;
  if (message === undefined) return { text: undefined, code: 'no answer', ms };
  return code === undefined
    ? { text: textOfResult(message), code: undefined, ms }
    : { text: undefined, code, ms };
}

/** How many files and sockets a process holds, without the three pipes to each of its children. */
export function openFiles(pid: number): number {
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'latin1').trim();
  const pipes = children === '' ? 0 : 3 * children.split(' ').length;
  return readdirSync(`/proc/${String(pid)}/fd`).length - pipes;
}

/** How many times a server that follows a plan has started. */
export function livesOf(planFile: string): number {
  try {
    return readFileSync(`${planFile}.lives`).length;
  } catch {
    return 0;
  }
}
