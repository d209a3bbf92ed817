import type { Writable } from 'node:stream';

/** Writes lines, several at a time, and knows when the other side does not read. */
export interface LineWriter {
  write(text: string): void;
  flush(): void;
  /** More is waiting than a reading client would leave: begin nothing new. */
  isFull(): boolean;
  pending(): number;
  isBroken(): boolean;
  onDrain(listener: () => void): void;
  onBroken(listener: () => void): void;
}

const fullChars = 4 * 1024 * 1024;

export function openLineWriter(output: Writable): LineWriter {
  let waiting = '';
  let isScheduled = false;
  let isBroken = false;
  let drained: () => void = () => {};
  let broken: () => void = () => {};

  function flush(): void {
    isScheduled = false;
    if (waiting === '' || isBroken) return;
    const text = waiting;
    waiting = '';
    // A stream that took it all at once says nothing more; one that did not will say when it has.
    if (output.write(text)) drained();
  }

  const fail = (): void => {
    isBroken = true;
    waiting = '';
    broken();
  };
  output.on('drain', () => drained());
  output.on('error', fail);
  output.on('close', fail);

  return {
    write(text) {
      if (isBroken) return;
      waiting += `${text}\n`;
      if (isScheduled) return;
      isScheduled = true;
      // Answers that come together leave together: one system call instead of many.
      process.nextTick(flush);
    },
    flush,
    isFull: () => !isBroken && output.writableLength + waiting.length > fullChars,
    pending: () => (isBroken ? 0 : output.writableLength + waiting.length),
    isBroken: () => isBroken,
    onDrain(listener) {
      drained = listener;
    },
    onBroken(listener) {
      broken = listener;
    },
  };
}
