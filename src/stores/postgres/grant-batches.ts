// Batch writes to the same zone in one transaction, so that they share one lock and one fsync.
import { type GrantsWritten, type GrantWrite, StoreError } from '../../access/ports/index.js';
import { isOfOneWrite } from './failures.js';

export type WriteOutcome =
  | { readonly ok: true; readonly written: GrantsWritten }
  | { readonly ok: false; readonly error: StoreError };

/**
 * Run the changes in order in one transaction; a refused change has its own outcome. Rejects if nothing was
 * committed.
 */
export type WriteAll = (changes: readonly GrantWrite[]) => Promise<readonly WriteOutcome[]>;

export interface GrantBatches {
  write(change: GrantWrite): Promise<GrantsWritten>;
  /** Resolves when no write is pending. */
  settled(): Promise<void>;
}

interface Waiting {
  readonly change: GrantWrite;
  readonly resolve: (written: GrantsWritten) => void;
  readonly reject: (error: unknown) => void;
}

const mostWaiting = 10_000;
/** Limits how long the lock on the zone is held and how long the first write of a batch waits. */
const mostAtOnce = 64;
const heaviestBatch = 500;

/** The first write is sent at once; writes that arrive in the meantime are sent together. */
export function createGrantBatches(writeAll: WriteAll): GrantBatches {
  const zones = new Map<string, { readonly waiting: Waiting[]; readonly working: Promise<void> }>();
  let count = 0;

  async function work(zone: string, waiting: Waiting[]): Promise<void> {
    // Collect all writes of this tick.
    await Promise.resolve();
    while (waiting.length > 0) await send(waiting.splice(0, sizeOfNext(waiting)));
    zones.delete(zone);
  }

  async function send(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await writeAll(batch.map(({ change }) => change));
      batch.forEach(({ resolve, reject }, at) => {
        const outcome = outcomes[at];
        if (outcome?.ok === true) resolve(outcome.written);
        else
          reject(
            outcome?.error ?? new StoreError('store.unavailable', 'The store did not answer this write.'),
          );
      });
    } catch (error) {
      // The server rolled back the whole batch: retry one by one, so that one bad write does not fail the
      // others.
      if (batch.length > 1 && isOfOneWrite(error)) for (const one of batch) await send([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  return {
    async write(change) {
      if (count >= mostWaiting)
        throw new StoreError(
          'store.unavailable',
          `${String(mostWaiting)} writes are already waiting for the store. Try again later.`,
        );
      count += 1;
      try {
        return await new Promise<GrantsWritten>((resolve, reject) => {
          const { zone } = change;
          const known = zones.get(zone);
          const one = { change, resolve, reject };
          if (known !== undefined) return void known.waiting.push(one);
          const waiting = [one];
          zones.set(zone, { waiting, working: work(zone, waiting) });
        });
      } finally {
        count -= 1;
      }
    },
    async settled() {
      while (zones.size > 0) await Promise.all([...zones.values()].map(({ working }) => working));
    },
  };
}

/** Takes at least one write; a large write is sent alone. */
function sizeOfNext(waiting: readonly Waiting[]): number {
  let weight = 0;
  const end = waiting
    .slice(0, mostAtOnce)
    .findIndex(({ change }) => (weight += weightOf(change)) > heaviestBatch);
  return end === -1 ? mostAtOnce : Math.max(1, end);
}

function weightOf({ add = [], remove = [], removeMatching = [] }: GrantWrite): number {
  return add.length + remove.length + removeMatching.length * 20;
}
