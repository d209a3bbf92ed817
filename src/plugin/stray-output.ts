/** Redirects what the plugin prints, because stdout carries the handshake. */
export interface StrayOutput {
  /** Writes to the real standard output. */
  print(text: string): void;
  /** Passes on the buffered output, then new output as it comes. The returned function stops this. */
  listen(hear: (bytes: Uint8Array) => void): () => void;
}

const mostHeld = 256 * 1024;

/** Takes over standard output. Without a listener, the most recent output is buffered. */
export function takeOverOutput(stdout: NodeJS.WriteStream): StrayOutput {
  const write = stdout.write.bind(stdout);
  let hear: ((bytes: Uint8Array) => void) | undefined;
  let held: Uint8Array[] = [];
  let size = 0;

  function take(bytes: Uint8Array): void {
    if (hear !== undefined) return hear(bytes);
    held.push(bytes);
    size += bytes.length;
    while (size > mostHeld && held.length > 0) size -= held.shift()?.length ?? 0;
  }

  // The overloads of `write` differ in the second parameter.
  stdout.write = (chunk: string | Uint8Array, second?: unknown, third?: unknown): boolean => {
    take(
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof second === 'string' ? (second as BufferEncoding) : 'utf8')
        : chunk,
    );
    const done = typeof second === 'function' ? second : third;
    if (typeof done === 'function') queueMicrotask(() => (done as () => void)());
    return true;
  };

  return {
    print: (text) => void write(text),
    listen(next) {
      hear = next;
      const early = held;
      [held, size] = [[], 0];
      for (const bytes of early) next(bytes);
      return () => {
        if (hear === next) hear = undefined;
      };
    },
  };
}
