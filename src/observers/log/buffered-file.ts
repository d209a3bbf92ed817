import { write, writeSync } from 'node:fs';
import { codeOf } from '../../lib/error-code.js';
import { createLineBuffer, type LineLimits } from './line-buffer.js';

/** Writes text to a file descriptor in large chunks, without blocking the caller. */
export interface BufferedFile {
  write(text: string): void;
  /** Write the rest at once, at process exit. Waits only briefly for a slow reader. */
  flushSync(): void;
  /** Write the rest; gives up if the reader does not read. */
  close(): Promise<void>;
}

interface Buffering extends LineLimits {
  readonly minBytes: number;
  readonly flushMs: number;
  readonly closeMs: number;
}

const usualBuffering: Buffering = {
  minBytes: 32_768,
  flushMs: 500,
  maxBytes: 1_048_576,
  tailBytes: 16_384,
  closeMs: 1000,
};

const nothing: Buffer = Buffer.alloc(0);
const retryMs = 50;
const syncRetries = 4;

/** The caller owns the descriptor and closes it. `lost` formats the line that reports dropped lines. */
export function openBufferedFile(
  fd: number,
  lost: (count: number) => string,
  buffering = usualBuffering,
): BufferedFile {
  const lines = createLineBuffer(lost, buffering);
  let isBroken = false;
  let writing: Promise<void> | undefined;
  let current = nothing;
  let isInFlight = false;
  let isDue = false;
  let isFlushing = false;
  const timer = setInterval(() => void flush(), buffering.flushMs);
  timer.unref();

  function take(): Buffer {
    isFlushing = false;
    return lines.take();
  }

  function drain(): Promise<void> {
    isDue = false;
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  /** Write everything, including a partial chunk. */
  function flush(): Promise<void> {
    isFlushing = !lines.isEmpty();
    return drain();
  }

  async function writeAll(): Promise<void> {
    while (!isBroken && (current.length > 0 || isFlushing || lines.bytes() >= buffering.minBytes)) {
      if (current.length === 0) current = take();
      isInFlight = true;
      const written = await writeSome(fd, current);
      isInFlight = false;
      if (written === 'full') await later(retryMs);
      else if (written === 'broken') isBroken = true;
      else current = current.subarray(written);
    }
  }

  return {
    write(text) {
      if (isBroken) return;
      if (!lines.push(text)) return;
      // Deferred, so that logging never blocks; at process exit, flushSync writes the lines in order.
      if (lines.bytes() < buffering.minBytes) return;
      if (!isDue) setImmediate(() => void drain());
      isDue = true;
    },
    flushSync() {
      if (isBroken) return;
      // The thread pool finishes a write in progress even while the process exits.
      isBroken = !writeAllSync(fd, Buffer.concat([isInFlight ? nothing : current, take()]));
      current = nothing;
    },
    async close() {
      clearInterval(timer);
      let limit: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        limit = setTimeout(resolve, buffering.closeMs);
      });
      // Twice, because the first flush may join a write that is about to end and takes no more lines.
      await Promise.race([flush().then(flush), late]);
      clearTimeout(limit);
      isBroken = true;
    },
  };
}

function writeSome(fd: number, buffer: Buffer): Promise<number | 'full' | 'broken'> {
  return new Promise((resolve) => {
    write(fd, buffer, (error, written) => {
      if (error === null) resolve(written);
      else resolve(isFull(error) ? 'full' : 'broken');
    });
  });
}

/** Returns false if something could not be written. Never throws, because it runs at process exit. */
function writeAllSync(fd: number, buffer: Buffer): boolean {
  let rest = buffer;
  for (let tries = 0; rest.length > 0 && tries < syncRetries; ) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if (!isFull(error)) return false;
      tries += 1;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
    }
  }
  return rest.length === 0;
}

/** The reader is slow or the disk is full: retry. Other errors are permanent. */
const fullCodes: ReadonlySet<unknown> = new Set(['EAGAIN', 'EBUSY', 'EINTR', 'ENOSPC']);

function isFull(error: unknown): boolean {
  return fullCodes.has(codeOf(error));
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
