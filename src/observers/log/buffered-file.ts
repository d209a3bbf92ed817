import { write, writeSync } from 'node:fs';

/** Writes text to a file descriptor in large pieces, behind the back of whoever logs. */
export interface BufferedFile {
  write(text: string): void;
  /** Writes what is left at once, for the end of the process. Waits a moment at most for a reader that is slow. */
  flushSync(): void;
  /** Writes what is left; gives up on a reader that does not read. */
  close(): Promise<void>;
}

interface Buffering {
  readonly minBytes: number;
  readonly flushMs: number;
  /** Beyond this, text is dropped and counted: a reader that does not read costs no memory. */
  readonly maxBytes: number;
  /** Of what comes beyond it, the last so many: how something ended is told in its last lines. */
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

/** The descriptor stays open: whoever opened it closes it. `lost` makes the line that tells of dropped ones. */
export function openBufferedFile(
  fd: number,
  lost: (count: number) => string,
  buffering = usualBuffering,
): BufferedFile {
  let pieces: string[] = [];
  let bytes = 0;
  const tail = createTail(buffering);
  /** Lines longer than all that may be held, which came behind the pieces and before what is kept of the tail. */
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

  /** Writes also what is less than a full piece. */
  function flush(): Promise<void> {
    isFlushing = pieces.length > 0 || skipped > 0 || !tail.isEmpty();
    return drain();
  }

  /** Behind a line that was too long there is room again, and it is told there that one is missing. */
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
      // What comes behind one that had no room has none either: lines stay in their order.
      if (!tail.isEmpty()) return tail.push(text);
      if (text.length > buffering.maxBytes) {
        skipped += 1;
        return;
      }
      if (bytes + text.length > buffering.maxBytes) return tail.push(text);
      hold(text);
      // Not now: whoever logs should not wait, and lines of a process that ends are left to flushSync, in order.
      if (bytes >= buffering.minBytes && !isDue) setImmediate(() => void drain());
      isDue ||= bytes >= buffering.minBytes;
    },
    flushSync() {
      if (isBroken) return;
      // A write that has begun is finished by its thread, also while the process ends.
      isBroken = !writeAllSync(fd, Buffer.concat([isInFlight ? nothing : inHand, take()]));
      inHand = nothing;
    },
    async close() {
      clearInterval(timer);
      let limit: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        limit = setTimeout(resolve, buffering.closeMs);
      });
      // Twice: the first may be a writing that was about to end, and takes nothing more.
      await Promise.race([flush().then(flush), late]);
      clearTimeout(limit);
      isBroken = true;
    },
  };
}

/** The newest of what has no room, the very last also where it is long; the others are counted. */
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
      // Seldom and many at once: to take one from the front moves all the others.
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

/** False when something could not be written. Never throws: this runs while the process ends. */
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

/** The other end is slow, or the disk is full: both may pass. Anything else does not. */
const fullCodes: ReadonlySet<unknown> = new Set(['EAGAIN', 'EBUSY', 'EINTR', 'ENOSPC']);

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && fullCodes.has(error.code);
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
