import { createFault, type Fault, type Session, shareOwner } from '../core/index.js';
import { createShares } from '../lib/shares.js';
import { createSlots } from '../lib/slots.js';

/** Limits the memory and the pending requests of resource subscriptions, per principal and in total. */
export interface WatchRoom {
  /** Starts watching if the limits allow it. Call the returned function to free the space. */
  open(session: Session, uri: string, begin: () => Promise<() => void>): Promise<(() => void) | Fault>;
}

/** In characters of URIs, which clients choose. */
const total = 4 * 1024 * 1024;
const reserve = 256 * 1024;
/** What a subscription costs besides its URI. */
const ownCost = 200;
/** Each may wait for its server. */
const maxAtATime = 64;
const waitingEach = 2048;
const waitMs = 30_000;

export function createWatchRoom(): WatchRoom {
  const shares = createShares(total, reserve);
  const slots = createSlots({ count: maxAtATime, waitMs, waitingEach, tooMany: () => new TooMany() });

  return {
    async open(session, uri, begin) {
      const owner = shareOwner(session);
      const giveBack = shares.take(owner, ownCost + uri.length);
      if (typeof giveBack === 'string') return tooMany(giveBack === 'share');
      try {
        const stop = await slots.use(owner, begin);
        return () => {
          giveBack();
          stop();
        };
      } catch (error) {
        giveBack();
        if (error instanceof TooMany) return tooMany(true);
        throw error;
      }
    },
  };
}

class TooMany extends Error {}

function tooMany(isOwn: boolean): Fault {
  const whose = isOwn ? ' from you' : '';
  return createFault(
    'call.too_many',
    `There are too many subscriptions${whose}, or their URIs are too long. End some of them first.`,
  );
}
