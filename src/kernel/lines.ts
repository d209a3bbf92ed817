/** What the reader found: a line of text, or a line that cannot be read. */
export type Line =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly reason: 'oversize' | 'encoding' };

export interface LineReader {
  /** Takes bytes and gives back the lines that are whole now. Never throws, never keeps more than the limit. */
  push(chunk: Uint8Array): Line[];
  /** The last line, if the stream ended without a newline. */
  end(): Line[];
}

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

/** Cuts a byte stream into lines. A line over the limit is thrown away up to its newline and reported once. */
export function createLineReader(limit: number): LineReader {
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  let skipping = false;

  function takeLine(bytes: Uint8Array, lines: Line[]): void {
    if (skipping) skipping = false;
    else if (keptBytes + bytes.length > limit) lines.push({ kind: 'unreadable', reason: 'oversize' });
    else {
      const line = decodeLine(keptBytes === 0 ? bytes : joined(kept, bytes));
      if (line !== undefined) lines.push(line);
    }
    kept = [];
    keptBytes = 0;
  }

  function keep(rest: Uint8Array, lines: Line[]): void {
    if (skipping || rest.length === 0) return;
    if (keptBytes + rest.length > limit) {
      lines.push({ kind: 'unreadable', reason: 'oversize' });
      skipping = true;
      kept = [];
      keptBytes = 0;
      return;
    }
    kept.push(rest);
    keptBytes += rest.length;
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
      if (keptBytes > 0) takeLine(new Uint8Array(0), lines);
      return lines;
    },
  };
}

/** Blank lines are nothing; bytes that are not UTF-8 are refused rather than replaced. */
function decodeLine(bytes: Uint8Array): Line | undefined {
  const end = bytes[bytes.length - 1] === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  const view = bytes.subarray(0, end);
  const text = decodeUtf8(view);
  if (text === undefined) return { kind: 'unreadable', reason: 'encoding' };
  return text.trim() === '' ? undefined : { kind: 'line', text };
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of some bytes, or undefined where they are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

function joined(parts: readonly Uint8Array[], last: Uint8Array): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, last.length));
  let at = 0;
  for (const part of [...parts, last]) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
