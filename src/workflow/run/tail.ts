/** Keeps the end of the output of a command. */
export interface Tail {
  add(chunk: Uint8Array): void;
  text(): string;
}

export interface TailParts {
  readonly maxBytes: number;
  readonly encoding: string;
  /** Receives each text as it arrives. */
  readonly onText?: (text: string) => void;
}

export function createTail({ maxBytes, encoding, onText }: TailParts): Tail {
  let chunks: Uint8Array[] = [];
  let kept = 0;
  let dropped = 0;
  const live = onText && decoderOf(encoding);
  return {
    add(chunk) {
      // The chunk may be reused after this listener returns.
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
    // The encoding is unknown. Wrong characters are better than no output.
    return new TextDecoder();
  }
}
