import { write, writeSync } from 'node:fs';

/** Writes text to a file descriptor in large chunks, without blocking the caller. */
export interface BufferedFile {
  write(text: string): void;
  /** Write the rest at once, at process exit. Waits only briefly for a slow reader. */
  flushSync(): void;
  /** Write the rest; gives up if the reader does not read. */
  close(): Promise<void>;
}

interface Buffering {
  readonly minBytes: number;
  readonly flushMs: number;
  /** Text beyond this is dropped and counted, so that a reader that does not read cannot exhaust memory. */
  readonly maxBytes: number;
  /** Size of the tail that is kept of dropped text: the last lines say how something ended. */
  readonly tailBytes: number;
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
  let pieces: string[] = [];
  let bytes = 0;
  const tail = createTail(buffering);
  /** Lines longer than the whole buffer, dropped after the chunks and before the tail. */
  let skipped = 0;
  let isBroken = false;
  let writing: Promise<void> | undefined;
  let inHand = nothing;
  let isInFlight = false;
  let isDue = false;
  let isFlushing = false;
  const timer = setInterval(() => void flush(), buffering.flushMs);
  timer.unref();

  function take(): Buffer {
    const { dropped, last } = tail.take();
    const all = skipped + dropped;
    const told = all > 0 ? [lost(all)] : [];
    const taken = Buffer.from([...pieces, ...told, ...last].join(''));
    pieces = [];
    skipped = 0;
    bytes = 0;
    isFlushing = false;
    return taken;
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
    isFlushing = pieces.length > 0 || skipped > 0 || !tail.isEmpty();
    return drain();
  }

  /** Keep a line after one that was too long, and report the missing one there. */
  function hold(text: string): void {
    const told = skipped > 0 ? lost(skipped) : '';
    skipped = 0;
    pieces.push(told + text);
    bytes += told.length + text.length;
  }

  async function writeAll(): Promise<void> {
    while (!isBroken && (inHand.length > 0 || isFlushing || bytes >= buffering.minBytes)) {
      if (inHand.length === 0) inHand = take();
      isInFlight = true;
      const written = await writeSome(fd, inHand);
      isInFlight = false;
      if (written === 'full') await later(retryMs);
      else if (written === 'broken') isBroken = true;
      else inHand = inHand.subarray(written);
    }
  }

  return {
    write(text) {
      if (isBroken) return;
      // Keep the order: after a dropped line, later lines go to the tail.
      if (!tail.isEmpty()) return tail.push(text);
      if (text.length > buffering.maxBytes) {
        skipped += 1;
        return;
      }
      if (bytes + text.length > buffering.maxBytes) return tail.push(text);
      hold(text);
      // Deferred, so that logging never blocks; at process exit, flushSync writes the lines in order.
      if (bytes >= buffering.minBytes && !isDue) setImmediate(() => void drain());
      isDue ||= bytes >= buffering.minBytes;
    },
    flushSync() {
      if (isBroken) return;
      // The thread pool finishes a write in progress even while the process exits.
      isBroken = !writeAllSync(fd, Buffer.concat([isInFlight ? nothing : inHand, take()]));
      inHand = nothing;
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

/** The newest lines that did not fit, always including the last one; the others are counted. */
function createTail({ tailBytes, maxBytes }: Buffering) {
  const longest = tailBytes > 0 ? maxBytes : 0;
  let last: string[] = [];
  let bytes = 0;
  let dropped = 0;
  return {
    isEmpty: () => last.length === 0 && dropped === 0,
    push(text: string): void {
      if (text.length > longest) {
        dropped += 1;
        return;
      }
      last.push(text);
      bytes += text.length;
      // Trim rarely and in bulk, because removing from the front moves all other lines.
      if (bytes > 2 * tailBytes) shorten();
    },
    take(): { readonly dropped: number; readonly last: readonly string[] } {
      shorten();
      const taken = { dropped, last };
      last = [];
      bytes = 0;
      dropped = 0;
      return taken;
    },
  };

  function shorten(): void {
    let from = 0;
    for (; bytes > tailBytes && from < last.length - 1; from += 1) bytes -= last[from]?.length ?? 0;
    dropped += from;
    last = last.slice(from);
  }
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
  return error instanceof Error && 'code' in error && fullCodes.has(error.code);
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
