import type { ChildProcess as Spawned } from 'node:child_process';
import { Socket } from 'node:net';
import { Readable, type Writable } from 'node:stream';
import type { ChildProcess, Patience, ProcessEnd, ProcessExit } from '../../ports/processes.js';
import { endTree } from './ladder.js';
import { type Output, openOutput } from './output.js';
import { readStatNow } from './proc-table.js';

export interface ChildParts {
  readonly spawned: Spawned;
  readonly output: Output;
  readonly errorOutput: Output;
  readonly pid: number;
  readonly needle: string;
  readonly fileLimitMark: number | undefined;
  /** How many processes the system had started just before this one. */
  readonly forksBefore: number | undefined;
  readonly patience: Patience;
  /** Shares the terminal and the process group of this process. */
  readonly isInOurGroup: boolean;
  readonly log: (line: string) => void;
  /** Aborted when the reaper takes over. */
  readonly released: AbortSignal;
  /** Called once, when nothing of the child is left. */
  readonly onGone: () => void;
  /** Called once instead, if part of it survived KILL or the reaper took over. */
  readonly onLeft: () => void;
}

export interface OwnedChild extends ChildProcess {
  /** Close stdin and stop keeping this process alive; the reaper does the rest. */
  letGo(): void;
}

const drainMs = 2000;

/** Wraps a new child. Its whole process tree ends with it, even if the child exits first. */
export function openChild(parts: ChildParts): OwnedChild {
  const { spawned, pid, output, errorOutput } = parts;
  const fourth = spawned.stdio[3];
  const notes = fourth instanceof Readable ? openOutput(fourth) : undefined;
  const input = openInput(spawned.stdin);
  const exitListeners: ((exit: ProcessExit) => void)[] = [];
  const since = Number(readStatNow(pid)?.startTime ?? 0);
  let hasExited = false;
  let reported: ProcessExit | undefined;
  let ending: Promise<ProcessEnd> | undefined;

  const end = () => {
    const { needle, fileLimitMark, patience, released, forksBefore, isInOurGroup } = parts;
    const tree = {
      pid,
      isInOurGroup,
      needle,
      fileLimitMark,
      since,
      forksBefore,
      patience,
      released,
      hasExited: () => hasExited,
      closeInput: input.end,
    };
    ending ??= endTree(tree).then(
      (how) => {
        if (how.isGone) parts.onGone();
        else parts.onLeft();
        return how;
      },
      (error: unknown) => {
        parts.log(`Stopping process ${pid} failed: ${String(error)}`);
        return { isGone: false, ended: 0 };
      },
    );
    return ending;
  };
  const report = async (exit: ProcessExit) => {
    // Not on `close`: a grandchild can hold the pipes open forever.
    await Promise.all([output.drain(drainMs), errorOutput.drain(drainMs), notes?.drain(drainMs)]);
    reported = exit;
    for (const listener of exitListeners.splice(0)) listener(exit);
  };

  spawned.on('error', (error) => parts.log(`Process ${pid}: ${error.message}`));
  spawned.once('exit', (code, signal) => {
    hasExited = true;
    void end();
    void report({ code, signal });
  });

  return {
    pid,
    write: input.write,
    onDrain: input.onDrain,
    endInput: input.end,
    onOutput: output.listen,
    onErrorOutput: errorOutput.listen,
    onNotes: (listener) => notes?.listen(listener),
    onExit: (listener) => {
      const exit = reported;
      if (exit === undefined) exitListeners.push(listener);
      else queueMicrotask(() => listener(exit));
    },
    pauseOutput: output.pause,
    resumeOutput: output.resume,
    pauseErrorOutput: errorOutput.pause,
    resumeErrorOutput: errorOutput.resume,
    close: end,
    letGo: () => {
      input.end();
      spawned.unref();
      if (spawned.stdin instanceof Socket) spawned.stdin.unref();
      for (const stream of [output, errorOutput, notes]) stream?.unref();
    },
  };
}

interface Input {
  readonly write: (text: string) => boolean;
  readonly onDrain: (listener: () => void) => void;
  readonly end: () => void;
}

function openInput(stream: Writable | null): Input {
  if (stream === null) return { write: () => true, onDrain: () => {}, end: () => {} };
  const listeners: (() => void)[] = [];
  const wake = () => {
    for (const listener of listeners) listener();
  };
  // EPIPE and ECONNRESET: the child stopped reading. Its exit follows.
  stream.on('error', () => {});
  stream.on('drain', wake);
  // Also when the pipe breaks, so that no writer waits forever.
  stream.on('close', wake);
  return {
    // True if the pipe is closed: the text is lost, and waiting would not help.
    write: (text) => !stream.writable || stream.write(text) || !stream.writable,
    onDrain: (listener) => void listeners.push(listener),
    end: () => void stream.end(),
  };
}
