import { Socket } from 'node:net';
import type { Readable } from 'node:stream';

export type Listener = (chunk: Uint8Array) => void;

/** A stream of the child that waits for its first listener; the pipe holds the bytes until then. */
export interface Output {
  readonly listen: (listener: Listener) => void;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Takes what is left after the child's exit, paused or not, and resolves when that is done or given up. */
  readonly drain: (ms: number) => Promise<void>;
  /** No longer keeps this process alive. */
  readonly unref: () => void;
}

const maxEarlyBytes = 64 * 1024;
/** More than a pipe holds: whoever writes this much after the exit is a grandchild that floods. */
export const maxLateBytes = 8 * 1024 * 1024;

export function openOutput(stream: Readable): Output {
  const listeners: Listener[] = [];
  let isDraining = false;
  let lateBytes = 0;
  const take = (chunk: Uint8Array) => {
    for (const listener of listeners) listener(chunk);
    if (isDraining) lateBytes += chunk.length;
    if (lateBytes > maxLateBytes) stream.destroy();
  };
  // A broken pipe is followed by the child's exit, which is what others hear of.
  stream.on('error', () => {});
  return {
    listen: (listener) => {
      listeners.push(listener);
      if (listeners.length === 1) stream.on('data', take);
    },
    pause: () => {
      if (!isDraining) stream.pause();
    },
    resume: () => void stream.resume(),
    drain: async (ms) => {
      isDraining = true;
      stream.resume();
      await waitForClose(stream, ms);
      stream.destroy();
    },
    unref: () => {
      if (stream instanceof Socket) stream.unref();
    },
  };
}

/** Like `openOutput`, but read from the start, so that the pipe never fills; keeps the first words for late ears. */
export function openErrorOutput(stream: Readable): Output {
  const output = openOutput(stream);
  const early: Uint8Array[] = [];
  const listeners: Listener[] = [];
  let earlyBytes = 0;
  output.listen((chunk) => {
    for (const listener of listeners) listener(chunk);
    if (listeners.length > 0 || earlyBytes >= maxEarlyBytes) return;
    early.push(chunk.subarray(0, maxEarlyBytes - earlyBytes));
    earlyBytes += chunk.length;
  });
  return {
    ...output,
    listen: (listener) => {
      listeners.push(listener);
      for (const chunk of early.splice(0)) listener(chunk);
    },
  };
}

export function waitForClose(stream: Readable, ms: number): Promise<void> {
  if (stream.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    // An owner that lets go must not be held back by a pipe that a grandchild keeps open.
    timer.unref();
    stream.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
