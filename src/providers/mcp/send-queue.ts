import { createFairQueue } from '../../lib/fair-queue.js';
import { requestPlaces, type Transport } from './transport.js';

/** Shares a transport that can only carry a few requests at once fairly between callers. */
export interface SendQueue {
  /** Calls `start` when it is the owner's turn; `start` gets a function that frees the places of the request. */
  enter(id: number, owner: string | undefined, text: string, start: (freePlaces: () => void) => void): void;
  /** True if the request was still waiting and has not been sent. */
  leave(id: number): boolean;
  readonly isNeeded: boolean;
}

const reservedPlaces = 32;

export function createSendQueue({ places }: Transport): SendQueue {
  const queue = places === undefined ? undefined : createFairQueue(places, reservedPlaces);
  const waiting = new Map<number, () => boolean>();
  return {
    isNeeded: queue !== undefined,
    enter(id, owner, text, start) {
      const quit = queue?.enter(
        owner,
        (freePlaces) => {
          waiting.delete(id);
          start(freePlaces);
        },
        requestPlaces(text),
      );
      if (quit !== undefined) waiting.set(id, quit);
    },
    leave(id) {
      const quit = waiting.get(id);
      waiting.delete(id);
      return quit?.() ?? false;
    },
  };
}
