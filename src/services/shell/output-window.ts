import { toCharacter } from './plain-text.js';

/** Keeps the head and the tail of a stream in bounded memory, whatever the size of the chunks. */
export interface OutputWindow {
  push(chunk: Uint8Array): void;
  /** The last bytes, at most `wanted` of them. */
  last(wanted: number): Uint8Array;
  /**
   * Returns what was kept since the last call and resets. An incomplete character at the end moves to the next call.
   */
  take(isLast: boolean): Kept;
}

export interface Kept {
  readonly head: Uint8Array;
  /** Directly follows the head if nothing is missing. */
  readonly tail: Uint8Array;
  readonly bytes: number;
}

const headBytes = 128 * 1024;
const tailBytes = 128 * 1024;

export function createOutputWindow(): OutputWindow {
  let head = createBytes(headBytes);
  let tail: Ring | undefined;
  let bytes = 0;
  return {
    push(chunk) {
      bytes += chunk.length;
      const taken = head.append(chunk);
      if (taken === chunk.length) return;
      tail ??= createRing(tailBytes);
      tail.append(chunk.subarray(taken));
    },
    last(wanted) {
      const late = tail?.content() ?? new Uint8Array();
      if (late.length >= wanted) return late.subarray(late.length - wanted);
      const early = head.content();
      return Buffer.concat([early.subarray(Math.max(0, early.length - (wanted - late.length))), late]);
    },
    take(isLast) {
      const early = head.content();
      const late = tail?.content() ?? new Uint8Array();
      const end = late.length > 0 ? late : early;
      const cut = isLast ? 0 : end.length - toCharacter(end).length;
      const whole = end.subarray(0, end.length - cut);
      const kept = late.length > 0 ? { head: early, tail: whole } : { head: whole, tail: late };
      const taken = bytes - cut;
      head = createBytes(headBytes);
      tail = undefined;
      bytes = head.append(end.subarray(end.length - cut));
      return { ...kept, bytes: taken };
    },
  };
}

export interface Bytes {
  /** Appends as much as fits, and returns how much that was. */
  append(chunk: Uint8Array): number;
  content(): Uint8Array;
}

/** Bytes up to a limit. Grows on demand, because most commands print little. */
export function createBytes(limit: number): Bytes {
  let held = new Uint8Array(0);
  let length = 0;
  return {
    append(chunk) {
      const taken = Math.min(chunk.length, limit - length);
      if (length + taken > held.length) {
        const larger = new Uint8Array(Math.min(limit, Math.max(4096, held.length * 2, length + taken)));
        larger.set(held.subarray(0, length));
        held = larger;
      }
      held.set(chunk.subarray(0, taken), length);
      length += taken;
      return taken;
    },
    content: () => held.subarray(0, length),
  };
}

interface Ring {
  append(chunk: Uint8Array): void;
  content(): Uint8Array;
}

function createRing(size: number): Ring {
  const held = new Uint8Array(size);
  let end = 0;
  let length = 0;
  return {
    append(chunk) {
      const kept = chunk.subarray(Math.max(0, chunk.length - size));
      const first = Math.min(kept.length, size - end);
      held.set(kept.subarray(0, first), end);
      held.set(kept.subarray(first), 0);
      end = (end + kept.length) % size;
      length = Math.min(size, length + kept.length);
    },
    content: () =>
      length < size ? held.slice(0, length) : Buffer.concat([held.subarray(end), held.subarray(0, end)]),
  };
}
