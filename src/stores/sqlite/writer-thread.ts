import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { messageOf } from '../../lib/error-message.js';
import { StoreError } from '../../access/ports/index.js';
import { atMost } from '../../lib/at-most.js';
import type { Order, OrderMessage, OrderResults, Outcome, OutcomeMessage, WriterParts } from './orders.js';

/**
 * The writer thread as its callers see it. Starts with the first order, and keeps the process alive only
 * while a caller waits.
 */
export interface WriterThread {
  send<Kind extends Order['kind']>(order: Extract<Order, { kind: Kind }>): Promise<OrderResults[Kind]>;
  /** Resolves when every order is answered and the thread has ended. */
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: StoreError) => void;
}

const mostWaiting = 10_000;
/** Longer than the writer waits for locks. After a timeout, the result of the order is unknown. */
const patienceMs = 60_000;

export function createWriterThread(parts: WriterParts): WriterThread {
  const waiting = new Map<number, Waiting>();
  let thread: Promise<Worker> | undefined;
  let lastId = 0;
  let isClosed = false;

  const settle = (id: number, tell: (one: Waiting) => void, worker?: Worker): void => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker?.unref();
    if (one !== undefined) tell(one);
  };
  const fail = (reason: string): void => {
    const error = unavailable(parts.file, reason);
    for (const id of [...waiting.keys()]) settle(id, ({ reject }) => reject(error));
  };
  const start = async (): Promise<Worker> => {
    const { startWriter } = await import('./start-writer.js');
    const worker = startWriter(parts);
    let hasEnded = false;
    const ended = (reason: string): void => {
      // The error event comes before the exit event; a new thread may run by then.
      if (hasEnded) return;
      hasEnded = true;
      thread = undefined;
      fail(reason);
    };
    worker.on('message', (answers: readonly OutcomeMessage[]) => {
      for (const { id, outcome } of answers) settle(id, ({ resolve }) => resolve(outcome), worker);
    });
    worker.on('error', (error: Error) => ended(error.message));
    worker.on('exit', () => ended('the writer thread ended'));
    return worker;
  };
  const post = async (message: OrderMessage): Promise<void> => {
    try {
      thread ??= start();
      const worker = await thread;
      worker.ref();
      worker.postMessage(message);
    } catch (error) {
      thread = undefined;
      fail(messageOf(error));
    }
  };
  const ask = (order: string): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      const id = lastId;
      waiting.set(id, { resolve, reject });
      void post({ id, order });
    });

  return {
    async send<Kind extends Order['kind']>(order: Extract<Order, { kind: Kind }>) {
      if (isClosed) throw new StoreError('store.closed', `The store ${parts.file} is closed.`);
      if (waiting.size >= mostWaiting)
        throw unavailable(parts.file, `${mostWaiting} writes are already waiting`);
      const asked = ask(JSON.stringify(order));
      // A migration reads and writes every row, which may take minutes.
      const outcome = await (order.kind === 'prepare' ? asked : withinPatience(asked, parts.file));
      if (!outcome.ok) throw new StoreError(outcome.code, outcome.message);
      if (outcome.kind !== order.kind)
        throw unavailable(parts.file, 'the writer thread answered a different order');
      return outcome.value as OrderResults[Kind];
    },
    async close() {
      isClosed = true;
      const worker = await thread?.catch(() => undefined);
      if (worker === undefined) return;
      const exit = once(worker, 'exit');
      worker.ref();
      worker.postMessage(null);
      await atMost(patienceMs, exit);
      await worker.terminate();
    },
  };
}

async function withinPatience(outcome: Promise<Outcome>, file: string): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(file, 'the writer thread does not respond')), patienceMs);
    timer.unref();
  });
  try {
    return await Promise.race([outcome, late]);
  } finally {
    clearTimeout(timer);
  }
}

function unavailable(file: string, reason: string): StoreError {
  return new StoreError('store.unavailable', `Cannot write to the store ${file}: ${reason}.`);
}
