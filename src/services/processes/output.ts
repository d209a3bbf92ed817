import { Socket } from 'node:net';
import type { Readable } from 'node:stream';

export type Listener = (chunk: Uint8Array) => void;

/** A stream of the child that waits for its first listener; the pipe holds the bytes until then. */
export interface Output {
  readonly listen: (listener: Listener) => void;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Read the rest after the child's exit, even if paused; resolves when done or timed out. */
  readonly drain: (ms: number) => Promise<void>;
  /** No longer keeps this process alive. */
  readonly unref: () => void;
}

const maxEarlyBytes = 64 * 1024;
/** More than a pipe holds: only a grandchild can write this much after the exit. */
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
  // The child's exit follows a broken pipe.
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

/**
 * Like `openOutput`, but reads from the start, so that the pipe never fills; keeps the first bytes for late
 * listeners.
 */
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
    // A pipe that a grandchild holds open must not keep the owner alive.
    timer.unref();
    stream.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
