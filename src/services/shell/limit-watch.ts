import type { Worker } from 'node:worker_threads';
import type { Cgroup } from './cgroup.js';
import { describeBreach, type ShellLimits } from './limits.js';
import type { Allowance, Breach } from './process-families.js';

export interface LimitWatchParts {
  /** The first process of the command, seen from outside its sandbox. */
  readonly pid: number;
  readonly limits: ShellLimits;
  /** Set if the kernel counts too. It also sees what happens or ends between two checks. */
  readonly cgroup: Cgroup | undefined;
  /** Called once. The caller must end the command. */
  readonly onBreach: (reason: string) => void;
}

export type WatchOrder =
  | { readonly add: number; readonly allowance: Allowance }
  | { readonly remove: number };

/** Checks what commands use, four times a second. Linux only: other systems offer no counts. */
export interface LimitWatch {
  /** Returns a function that stops the watch. */
  watch(parts: LimitWatchParts): () => void;
  close(): Promise<void>;
}

interface Watched {
  readonly allowance: Allowance;
  readonly onBreach: (breach: Breach) => void;
}

const lookMs = 250;
const restartMs = 1000;

/**
 * One thread checks all commands: a command can have a thousand processes, and reading them takes longer than other
 * callers should wait. It starts with the first command that runs longer than the interval.
 */
export function openLimitWatch(log: (line: string) => void): LimitWatch {
  const watched = new Map<number, Watched>();
  let thread: Promise<Worker> | undefined;
  let isClosed = false;

  async function start(): Promise<Worker> {
    const { startLimitThread } = await import('./start-limit-thread.js');
    const worker = startLimitThread();
    worker.unref();
    worker.on('message', ({ pid, breach }: { readonly pid: number; readonly breach: Breach }) =>
      watched.get(pid)?.onBreach(breach),
    );
    worker.on('error', (error) => log(`Checking the limits of Bash failed: ${String(error)}`));
    worker.on('exit', restart);
    for (const [pid, { allowance }] of watched) worker.postMessage({ add: pid, allowance });
    return worker;
  }
  function restart(): void {
    thread = undefined;
    if (!isClosed && watched.size > 0) setTimeout(ensure, restartMs).unref();
  }
  function ensure(): void {
    if (isClosed || thread !== undefined) return;
    const starting = start();
    thread = starting;
    starting.catch(restart);
  }
  const tell = (order: WatchOrder): void => {
    void thread?.then(
      (worker) => worker.postMessage(order),
      () => undefined,
    );
  };

  function watch({ pid, limits, cgroup, onBreach }: LimitWatchParts): () => void {
    if (process.platform !== 'linux') return () => {};
    const allowance = { ...limits, ...(cgroup?.holdsMemory === true && { memory: 0 }) };
    const stop = (): void => {
      clearTimeout(first);
      clearInterval(timer);
      if (watched.delete(pid)) tell({ remove: pid });
    };
    const end = (breach: Breach): void => {
      stop();
      onBreach(describeBreach(breach, limits));
    };
    const first = setTimeout(() => {
      watched.set(pid, { allowance, onBreach: end });
      // A new thread receives all watched commands when it starts.
      if (thread === undefined) ensure();
      else tell({ add: pid, allowance });
    }, lookMs).unref();
    const timer = setInterval(() => {
      const breach = cgroup?.breach();
      if (breach !== undefined) end(breach);
    }, lookMs).unref();
    return stop;
  }

  return {
    watch,
    async close() {
      isClosed = true;
      const worker = await thread?.catch(() => undefined);
      await worker?.terminate();
    },
  };
}
