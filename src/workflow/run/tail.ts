/** Keeps the end of what a command writes. */
export interface Tail {
  add(chunk: Uint8Array): void;
  text(): string;
}

export interface TailParts {
  readonly maxBytes: number;
  readonly encoding: string;
  /** Told of every text as it comes. */
  readonly onText?: (text: string) => void;
}

export function createTail({ maxBytes, encoding, onText }: TailParts): Tail {
  let chunks: Uint8Array[] = [];
  let kept = 0;
  let dropped = 0;
  const live = onText && decoderOf(encoding);
  return {
    add(chunk) {
      // A chunk is valid only while its listener runs.
      const copy = chunk.slice();
      chunks.push(copy);
      kept += copy.length;
      while (kept - (chunks[0]?.length ?? 0) >= maxBytes && chunks.length > 1) {
        const [first] = chunks.splice(0, 1);
        kept -= first?.length ?? 0;
        dropped += first?.length ?? 0;
      }
      if (live) onText(live.decode(copy, { stream: true }));
    },
    text() {
      const whole = Buffer.concat(chunks);
      const cut = Math.max(0, whole.length - maxBytes);
      chunks = [whole];
      const text = decoderOf(encoding).decode(whole.subarray(cut));
      const lost = dropped + cut;
      const shown = text.replace(/(?:\r?\n)+$/, '');
      return lost === 0 ? shown : `[${String(lost)} bytes left out]\n${shown}`;
    },
  };
}

function decoderOf(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding);
  } catch {
    // An encoding that nobody knows: better odd characters than nothing.
    return new TextDecoder();
  }
}
