export interface LineLimits {
  /** Text beyond this is dropped and counted, so that a reader that does not read cannot exhaust memory. */
  readonly maxBytes: number;
  /** Size of the tail that is kept of dropped text: the last lines say how something ended. */
  readonly tailBytes: number;
}

/** Lines that wait to be written: the first ones up to a limit, then a tail of the newest. */
export interface LineBuffer {
  bytes(): number;
  isEmpty(): boolean;
  /** Returns false if the line is dropped or goes to the tail. */
  push(text: string): boolean;
  take(): Buffer;
}

/** `lost` formats the line that reports dropped lines. */
export function createLineBuffer(lost: (count: number) => string, limits: LineLimits): LineBuffer {
  let chunks: string[] = [];
  let bytes = 0;
  const tail = createTail(limits);
  /** Lines longer than the whole buffer, dropped after the chunks and before the tail. */
  let skipped = 0;
  return {
    bytes: () => bytes,
    isEmpty: () => chunks.length === 0 && skipped === 0 && tail.isEmpty(),
    push(text) {
      const fits = bytes + text.length <= limits.maxBytes;
      const isTooLong = text.length > limits.maxBytes;
      // Keep the order: after a dropped line, later lines go to the tail.
      if (!tail.isEmpty() || (!fits && !isTooLong)) {
        tail.push(text);
        return false;
      }
      if (isTooLong) {
        skipped += 1;
        return false;
      }
      const report = skipped > 0 ? lost(skipped) : '';
      skipped = 0;
      chunks.push(report + text);
      bytes += report.length + text.length;
      return true;
    },
    take() {
      const { dropped, last } = tail.take();
      const all = skipped + dropped;
      const report = all > 0 ? [lost(all)] : [];
      const taken = Buffer.from([...chunks, ...report, ...last].join(''));
      chunks = [];
      skipped = 0;
      bytes = 0;
      return taken;
    },
  };
}

/** The newest lines that did not fit, always including the last one; the others are counted. */
function createTail({ tailBytes, maxBytes }: LineLimits) {
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
