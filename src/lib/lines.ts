/** A line of text, or a line that cannot be read. */
export type Line =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly reason: 'oversize' | 'encoding' };

export interface LineReader {
  /** Adds bytes and returns the lines completed by them. Never throws, never buffers more than the limit. */
  push(chunk: Uint8Array): Line[];
  /** The last line, if the stream ended without a newline. */
  end(): Line[];
}

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;

/** Splits a byte stream into lines. A line over the limit is dropped and reported once. */
export function createLineReader(limit: number): LineReader {
  const held = createHeld(limit);
  let skipping = false;

  function takeLine(bytes: Uint8Array, lines: Line[]): void {
    if (skipping) skipping = false;
    else if (held.size + bytes.length > limit) lines.push({ kind: 'unreadable', reason: 'oversize' });
    else {
      const line = decodeLine(held.size === 0 ? bytes : held.with(bytes));
      if (line !== undefined) lines.push(line);
    }
    held.clear();
  }

  function keep(rest: Uint8Array, lines: Line[]): void {
    if (skipping || rest.length === 0) return;
    if (held.size + rest.length > limit) {
      lines.push({ kind: 'unreadable', reason: 'oversize' });
      skipping = true;
      held.clear();
    } else held.with(rest);
  }

  return {
    push(chunk) {
      const lines: Line[] = [];
      let from = 0;
      for (;;) {
        const at = chunk.indexOf(NEWLINE, from);
        if (at < 0) break;
        takeLine(chunk.subarray(from, at), lines);
        from = at + 1;
      }
      keep(chunk.subarray(from), lines);
      return lines;
    },
    end() {
      const lines: Line[] = [];
      if (held.size > 0) takeLine(new Uint8Array(0), lines);
      return lines;
    },
  };
}

/** Blank lines are skipped; invalid UTF-8 is refused, not replaced. */
function decodeLine(bytes: Uint8Array): Line | undefined {
  const end = bytes[bytes.length - 1] === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  const view = bytes.subarray(0, end);
  const text = decodeUtf8(view);
  if (text === undefined) return { kind: 'unreadable', reason: 'encoding' };
  // Most lines start with a brace, so the pattern rarely runs.
  const isBlank = !(text.charCodeAt(0) > SPACE) && /^[ \t\r]*$/.test(text);
  return isBlank ? undefined : { kind: 'line', text };
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes bytes; undefined if they are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

interface Held {
  readonly size: number;
  /** Adds bytes and returns all buffered bytes, valid until the next change. */
  with(bytes: Uint8Array): Uint8Array;
  clear(): void;
}

const smallBytes = 64 * 1024;

/** The start of an unfinished line. Copied into one buffer, because a line may arrive in millions of tiny chunks. */
function createHeld(limit: number): Held {
  let buffer = new Uint8Array(0);
  let size = 0;
  return {
    get size() {
      return size;
    },
    with(bytes) {
      if (size + bytes.length > buffer.length) {
        const larger = new Uint8Array(Math.min(limit, Math.max(2 * buffer.length, size + bytes.length)));
        larger.set(buffer.subarray(0, size));
        buffer = larger;
      }
      buffer.set(bytes, size);
      size += bytes.length;
      return buffer.subarray(0, size);
    },
    clear() {
      if (buffer.length > smallBytes) buffer = new Uint8Array(0);
      size = 0;
    },
  };
}
