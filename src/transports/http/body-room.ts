import type { ServerResponse } from 'node:http';
import { type Caller, shareOwner } from '../../core/index.js';
import { createShares } from '../../lib/shares.js';

/** Reserve memory for more bytes of a body; false if the sender's limit is reached. */
export type TakeRoom = (bytes: number) => boolean;

/** Limits the memory for request bodies, per principal and in total. */
export interface BodyRoom {
  /** For one request. Its memory is released when it is answered or its connection closes. */
  for(caller: Pick<Caller, 'principal' | 'chain'>, response: ServerResponse): TakeRoom;
}

const total = 256 * 1024 * 1024;
const reserve = 32 * 1024 * 1024;
/** Not counted, so that a principal at its limit can still send small requests. */
const smallBytes = 64 * 1024;

export function createBodyRoom(): BodyRoom {
  const shares = createShares(total, reserve);
  return {
    for(caller, response) {
      const owner = shareOwner(caller);
      const taken: (() => void)[] = [];
      let bytes = 0;
      response.once('close', () => {
        for (const giveBack of taken.splice(0)) giveBack();
      });
      return (more) => {
        const before = Math.max(bytes, smallBytes);
        bytes += more;
        if (bytes <= smallBytes) return true;
        const room = response.closed ? 'full' : shares.take(owner, bytes - before);
        if (typeof room === 'string') return false;
        taken.push(room);
        return true;
      };
    },
  };
}
