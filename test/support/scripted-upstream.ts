import type { ChildProcess, Processes, ProcessExit, ProcessOrder } from '../../src/ports/processes.js';

export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A child that is no process: what it reads is written down, what it says is up to the test. */
export interface ScriptedChild {
  readonly order: ProcessOrder;
  readonly received: Message[];
  /** Each write as it arrived, so that one can see what was sent together. */
  readonly writes: string[];
  isClosed: boolean;
  /** While set, each write reports a full pipe. */
  isFull: boolean;
  say(message: unknown): void;
  sayRaw(text: string): void;
  sayBytes(bytes: Uint8Array): void;
  drain(): void;
  exit(exit?: Partial<ProcessExit>): void;
  complain(text: string): void;
}

export interface ScriptedServer {
  readonly processes: Processes;
  readonly children: ScriptedChild[];
  readonly child: ScriptedChild;
}

export type Script = (message: Message, child: ScriptedChild) => void;

/** Children that follow a script. */
export function scriptServer(script: Script): ScriptedServer {
  const children: ScriptedChild[] = [];
  return {
    children,
    get child() {
      const last = children.at(-1);
      if (!last) throw new Error('nothing was started');
      return last;
    },
    processes: {
      async start(order) {
        const { child, face } = createChild(order, script, children.length + 1);
        children.push(child);
        return face;
      },
      close: () => Promise.resolve(),
    },
  };
}

function createChild(order: ProcessOrder, script: Script, pid: number) {
  const on = {
    drain: (): void => undefined,
    output: (_chunk: Uint8Array): void => undefined,
    errorOutput: (_chunk: Uint8Array): void => undefined,
    exit: (_exit: ProcessExit): void => undefined,
  };
  const child: ScriptedChild = {
    order,
    received: [],
    writes: [],
    isClosed: false,
    isFull: false,
    say: (message) => child.sayRaw(`${JSON.stringify(message)}\n`),
    sayRaw: (text) => on.output(Buffer.from(text)),
    sayBytes: (bytes) => on.output(bytes),
    drain: () => on.drain(),
    exit: (exit = {}) => on.exit({ code: 1, signal: null, ...exit }),
    complain: (text) => on.errorOutput(Buffer.from(text)),
  };
  const face: ChildProcess = {
    pid,
    write(text) {
      child.writes.push(text);
      for (const line of text.split('\n').filter((part) => part !== '')) {
        const message = JSON.parse(line) as Message;
        child.received.push(message);
        // Answers come later, as from a real process.
        setImmediate(() => {
          if (!child.isClosed) script(message, child);
        });
      }
      return !child.isFull;
    },
    onDrain: (listener) => {
      on.drain = listener;
    },
    onOutput: (listener) => {
      on.output = listener;
    },
    onErrorOutput: (listener) => {
      on.errorOutput = listener;
    },
    onExit: (listener) => {
      on.exit = listener;
    },
    onNotes: () => undefined,
    endInput: () => undefined,
    pauseOutput: () => undefined,
    resumeOutput: () => undefined,
    pauseErrorOutput: () => undefined,
    resumeErrorOutput: () => undefined,
    async close() {
      child.isClosed = true;
      return { isGone: true, ended: 0 };
    },
  };
  return { child, face };
}

export const echoTool = { name: 'echo', inputSchema: { type: 'object' } };

/** A plain legacy server; `more` sees what it does not answer itself. */
export function legacyScript(
  more: Script = () => undefined,
  capabilities: Readonly<Record<string, unknown>> = { tools: {} },
): Script {
  return (message, child) => {
    const { id, method } = message;
    const answer = (result: unknown): void => child.say({ jsonrpc: '2.0', id, result });
    if (method === 'server/discover') {
      child.say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    } else if (method === 'initialize') answer({ protocolVersion: '2025-11-25', capabilities });
    else if (method === 'tools/list') answer({ tools: [echoTool] });
    else more(message, child);
  };
}

/** A plain modern server. */
export function modernScript(
  more: Script = () => undefined,
  capabilities: Readonly<Record<string, unknown>> = { tools: {} },
): Script {
  return (message, child) => {
    const { id, method } = message;
    const answer = (result: unknown): void => child.say({ jsonrpc: '2.0', id, result });
    if (method === 'server/discover') {
      answer({ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities });
    } else if (method === 'tools/list') answer({ resultType: 'complete', tools: [echoTool] });
    else if (method === 'initialize') {
      child.say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    } else more(message, child);
  };
}

/** Lets everything that is due happen: ticks, promises and scripted answers. */
export async function settle(rounds = 8): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

export interface FakeClock {
  now(): number;
  after(ms: number, run: () => void): () => void;
  /** Moves time on, timer by timer, and lets what follows from each happen. */
  advance(ms: number): Promise<void>;
}

export function createFakeClock(start = 1_000_000): FakeClock {
  let now = start;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        timers.delete(due);
        now = Math.max(now, due.at);
        due.run();
        await settle();
      }
      now = end;
    },
  };
}
