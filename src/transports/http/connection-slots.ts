import type { Socket } from 'node:net';
import { createShares } from '../../lib/shares.js';

/** Decides which connections to keep when there are too many: those with a valid token. */
export interface ConnectionSlots {
  /** Add a connection. Closes the oldest one without a valid token if there are too many. */
  add(socket: Socket): void;
  /** The connection carried a valid token of this owner; undefined for the operator. */
  prove(socket: Socket, owner: string | undefined): void;
}

export interface SlotLimits {
  readonly unproven: number;
  readonly proven: number;
  /** Slots with a token that are reserved for the operator. */
  readonly reserve: number;
}

/**
 * A new connection is never refused, so that health checks work while a client holds thousands of half-sent
 * requests: one of those is closed instead.
 */
export function createConnectionSlots({
  unproven: mostUnproven,
  proven: mostProven,
  reserve,
}: SlotLimits): ConnectionSlots {
  const unproven = new Set<Socket>();
  const shares = createShares(mostProven, reserve);
  return {
    add(socket) {
      unproven.add(socket);
      socket.once('close', () => void unproven.delete(socket));
      const [oldest] = unproven;
      if (unproven.size <= mostUnproven || oldest === undefined) return;
      unproven.delete(oldest);
      oldest.destroy();
    },
    prove(socket, owner) {
      if (!unproven.has(socket)) return;
      const giveBack = shares.take(owner);
      // Above its share, a connection stays closable, so that the slots of other owners remain.
      if (typeof giveBack === 'string') return;
      unproven.delete(socket);
      socket.once('close', giveBack);
    },
  };
}
