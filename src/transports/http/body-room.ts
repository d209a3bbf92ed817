import type { ServerResponse } from 'node:http';
import { type Caller, shareOwner } from '../../core/index.js';
import { createShares } from '../../lib/shares.js';

/** Takes room for more bytes of a body; false where there is none left for its sender. */
export type TakeRoom = (bytes: number) => boolean;

/** Bounds the bodies that are kept at a time, of one principal and of all together. */
export interface BodyRoom {
  /** For one request. Its room is free again when it is answered or its connection closes. */
  for(caller: Pick<Caller, 'principal' | 'chain'>, response: ServerResponse): TakeRoom;
}

const total = 256 * 1024 * 1024;
const reserve = 32 * 1024 * 1024;
/** Not counted, so that a principal without room left can still send small requests. */
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
