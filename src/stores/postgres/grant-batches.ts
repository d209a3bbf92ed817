// Writes that wait for the same zone go in one transaction: the zone is locked and the disk is waited for once for all of them.
import { type GrantsWritten, type GrantWrite, StoreError } from '../../access/ports/index.js';
import { isOfOneWrite } from './failures.js';

export type WriteOutcome =
  | { readonly ok: true; readonly written: GrantsWritten }
  | { readonly ok: false; readonly error: StoreError };

/** In one transaction, one after the other; what is refused there has an outcome of its own. Rejects when nothing was kept. */
export type WriteAll = (changes: readonly GrantWrite[]) => Promise<readonly WriteOutcome[]>;

export interface GrantBatches {
  write(change: GrantWrite): Promise<GrantsWritten>;
  /** Resolves when nothing waits any more. */
  settled(): Promise<void>;
}

interface Waiting {
  readonly change: GrantWrite;
  readonly resolve: (written: GrantsWritten) => void;
  readonly reject: (error: unknown) => void;
}

const mostWaiting = 10_000;
/** So that others who wait for the zone get their turn, and the first of a batch its answer. */
const mostAtOnce = 64;
const heaviestBatch = 500;

/** Nobody waits for company: the first goes at once, and those who come meanwhile go together. */
export function createGrantBatches(writeAll: WriteAll): GrantBatches {
  const zones = new Map<string, { readonly waiting: Waiting[]; readonly working: Promise<void> }>();
  let count = 0;

  async function work(zone: string, waiting: Waiting[]): Promise<void> {
    // Until the end of this turn, all who ask in one breath.
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
        else reject(outcome?.error ?? new StoreError('store.unavailable', 'The write was not answered.'));
      });
    } catch (error) {
      // One that the server does not take must not take the others with it; it has undone all of them.
      if (batch.length > 1 && isOfOneWrite(error)) for (const one of batch) await send([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  return {
    async write(change) {
      if (count >= mostWaiting)
        throw new StoreError('store.unavailable', `${String(mostWaiting)} writes wait for the store.`);
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

/** At least one; a large write goes alone. */
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
