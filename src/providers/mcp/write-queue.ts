/** Messages to a server that were not written yet. All messages of one tick are written at once. */
export interface WriteQueue {
  /** Characters that wait to be written. */
  readonly length: number;
  /** `id`: the request, so that it can be withdrawn. */
  push(text: string, id: number | undefined): void;
  /** Queues a message before all others. It does not count for `length`. */
  pushFirst(text: string): void;
  /** Removes a request that was not written yet. False if there is none. */
  withdraw(id: number): boolean;
  /** The other side can take more. */
  drained(): void;
  /** Drops what was not written. */
  close(): void;
}

interface Queued {
  readonly text: string;
  readonly id: number | undefined;
}

/** `write` returns false if the other side is full; then nothing is written until `drained`. */
export function createWriteQueue(write: (text: string) => boolean): WriteQueue {
  let queue: Queued[] = [];
  let length = 0;
  let isFlushing = false;
  let isFull = false;
  let isOpen = true;

  function flush(): void {
    isFlushing = false;
    if (isFull || !isOpen || queue.length === 0) return;
    let bytes = '';
    for (const { text } of queue) bytes += `${text}\n`;
    queue = [];
    length = 0;
    isFull = !write(bytes);
  }

  function schedule(): void {
    if (isFlushing || isFull) return;
    isFlushing = true;
    process.nextTick(flush);
  }

  return {
    get length() {
      return length;
    },
    push(text, id) {
      queue.push({ text, id });
      length += text.length;
      schedule();
    },
    pushFirst(text) {
      queue.unshift({ text, id: undefined });
      schedule();
    },
    withdraw(id) {
      const at = queue.findIndex((waiting) => waiting.id === id);
      if (at < 0) return false;
      length -= queue[at]?.text.length ?? 0;
      queue.splice(at, 1);
      return true;
    },
    drained() {
      isFull = false;
      flush();
    },
    close() {
      isOpen = false;
      queue = [];
    },
  };
}
