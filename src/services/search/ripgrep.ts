import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { ChildProcess, Processes, ProcessExit } from '../../ports/processes.js';
import type { SearchStop } from '../../ports/search.js';
import { ToolFailure } from '../../core/index.js';
import { type Complaints, createComplaints } from './complaints.js';
import { privateBytes } from './private-bytes.js';

/** One run of ripgrep: exact arguments, no shell, no other configuration. */
export interface RipgrepOrder {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  /** Receives output; false ends ripgrep, because enough was seen. */
  readonly take: (chunk: Buffer) => boolean;
}

export interface RipgrepEnd {
  /** Absent if ripgrep finished. */
  readonly stopped?: SearchStop;
  readonly exitCode: number | null;
  readonly complaints: Complaints;
}

export interface Ripgrep {
  run(order: RipgrepOrder): Promise<RipgrepEnd>;
  /** Ends running searches. */
  close(): Promise<void>;
}

export interface RipgrepParts {
  readonly program: string;
  readonly processes: Processes;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Far above normal use; a file that is one line of many gigabytes would take all memory. */
const maxPrivateBytes = 768 * 1024 * 1024;
const watchMs = 200;
/** ripgrep has no children and nothing to save. */
const patience = { afterInputMs: 0, afterTermMs: 200 };
/** The only environment variables that ripgrep gets. They locate the user's global git ignore file. */
const knownNames = ['HOME', 'XDG_CONFIG_HOME', 'SystemRoot', 'USERPROFILE'];

/** The path of ripgrep for this machine; rejects if the package has none. Loaded with the first search. */
export async function locateRipgrep(): Promise<string> {
  const { rgPath } = await import('@vscode/ripgrep');
  await access(rgPath, constants.X_OK);
  return rgPath;
}

export function openRipgrep({ program, processes, env }: RipgrepParts): Ripgrep {
  const running = new Set<ChildProcess>();
  const known = Object.fromEntries(
    knownNames.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  return {
    run: async (order) => {
      order.signal.throwIfAborted();
      const { args, cwd } = order;
      const owner = 'search';
      const input = 'none';
      const child = await processes.start({
        owner,
        command: program,
        args,
        cwd,
        env: known,
        input,
        patience,
      });
      running.add(child);
      try {
        return await untilEnd(child, order);
      } finally {
        running.delete(child);
      }
    },
    close: async () => {
      await Promise.all([...running].map((child) => child.close()));
    },
  };
}

function untilEnd(child: ChildProcess, order: RipgrepOrder): Promise<RipgrepEnd> {
  const complaints = createComplaints();
  return new Promise((resolve, reject) => {
    let isDone = false;
    const settle = () => {
      isDone = true;
      clearTimeout(timer);
      clearInterval(watch);
      order.signal.removeEventListener('abort', cancel);
    };
    /** Does not wait for the exit: the owner of the process handles it. */
    const end = () => {
      settle();
      child.pauseOutput();
      void child.close();
    };
    const stop = (stopped: SearchStop) => {
      if (isDone) return;
      end();
      resolve({ stopped, exitCode: null, complaints });
    };
    const cancel = () => {
      if (isDone) return;
      end();
      reject(order.signal.reason instanceof Error ? order.signal.reason : new Error('cancelled'));
    };
    const timer = setTimeout(() => stop('time'), Math.max(0, order.deadline - performance.now()));
    const watch = setInterval(() => {
      if (privateBytes(child.pid) > maxPrivateBytes) stop('memory');
    }, watchMs);
    order.signal.addEventListener('abort', cancel, { once: true });
    if (order.signal.aborted) return cancel();

    child.onErrorOutput((chunk) => complaints.push(chunk));
    child.onOutput((chunk) => {
      if (!isDone && !order.take(asBuffer(chunk))) stop('limit');
    });
    child.onExit((exit) => {
      if (isDone) return;
      settle();
      complaints.end();
      if (exit.code === null) reject(killed(exit));
      else resolve({ exitCode: exit.code, complaints });
    });
  });
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function killed({ signal }: ProcessExit): ToolFailure {
  return new ToolFailure(
    'external',
    `ripgrep was killed by ${signal ?? 'the system'}; search a smaller part.`,
    {
      reason: 'ripgrep_ended',
      retryable: true,
    },
  );
}
