import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Socket } from 'node:net';
import type { ChildProcess, ProcessExit } from '../../kernel/process.js';
import { endTree } from './ladder.js';
import { openErrorOutput, openOutput } from './output.js';

export interface ChildParts {
  readonly spawned: ChildProcessWithoutNullStreams;
  readonly pid: number;
  readonly needle: string;
  readonly log: (line: string) => void;
  /** Aborted when the keeper takes over. */
  readonly released: AbortSignal;
  /** Called once, when nothing of the child is left. */
  readonly onGone: () => void;
  /** Called once instead, when something of it withstood even KILL, or the keeper took over. */
  readonly onLeft: () => void;
}

export interface OwnedChild extends ChildProcess {
  /** Closes stdin and no longer keeps this process alive; the keeper does the rest. */
  letGo(): void;
}

const drainMs = 2000;

/** Wraps a child that was just spawned. It ends with its whole tree, also when it exits by itself. */
export function openChild(parts: ChildParts): OwnedChild {
  const { spawned, pid } = parts;
  const output = openOutput(spawned.stdout);
  const errorOutput = openErrorOutput(spawned.stderr);
  const input = openInput(spawned.stdin);
  const exitListeners: ((exit: ProcessExit) => void)[] = [];
  let hasExited = false;
  let reported: ProcessExit | undefined;
  let ending: Promise<void> | undefined;

  const end = () => {
    const tree = { pid, needle: parts.needle, hasExited: () => hasExited, closeInput: input.end };
    ending ??= endTree({ ...tree, released: parts.released }).then(
      (isGone) => (isGone ? parts.onGone() : parts.onLeft()),
      (error: unknown) => parts.log(`Ending process ${pid} failed: ${String(error)}`),
    );
    return ending;
  };
  const report = async (exit: ProcessExit) => {
    // Not on `close`: a grandchild can hold the pipes for as long as it likes.
    await Promise.all([output.drain(drainMs), errorOutput.drain(drainMs)]);
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
    onOutput: output.listen,
    onErrorOutput: errorOutput.listen,
    onExit: (listener) => {
      const exit = reported;
      if (exit === undefined) exitListeners.push(listener);
      else queueMicrotask(() => listener(exit));
    },
    pauseOutput: output.pause,
    resumeOutput: output.resume,
    close: end,
    letGo: () => {
      input.end();
      spawned.unref();
      for (const stream of [spawned.stdin, spawned.stdout, spawned.stderr]) {
        if (stream instanceof Socket) stream.unref();
      }
    },
  };
}

interface Input {
  readonly write: (text: string) => boolean;
  readonly onDrain: (listener: () => void) => void;
  readonly end: () => void;
}

function openInput(stream: ChildProcessWithoutNullStreams['stdin']): Input {
  const listeners: (() => void)[] = [];
  const wake = () => {
    for (const listener of listeners) listener();
  };
  // EPIPE and ECONNRESET: the child stopped reading. Its exit says the rest.
  stream.on('error', () => {});
  stream.on('drain', wake);
  // Also when the pipe breaks, so that nobody waits for room that will never come.
  stream.on('close', wake);
  return {
    // True when the pipe is closed: the text goes nowhere, and waiting would not change that.
    write: (text) => !stream.writable || stream.write(text) || !stream.writable,
    onDrain: (listener) => void listeners.push(listener),
    end: () => void stream.end(),
  };
}
