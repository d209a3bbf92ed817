import type { Writable } from 'node:stream';

/** Writes lines in batches, and detects when the other side does not read. */
export interface LineWriter {
  write(text: string): void;
  flush(): void;
  /** Too much is unread: start nothing new. */
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
    // A stream that took everything emits no `drain`; otherwise it does.
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
      // Batch the answers of one tick into one system call.
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
