import type { Socket } from 'node:net';
import { createShares } from '../../lib/shares.js';

/** Decides which connections stay when there are too many: those of callers that proved who they are. */
export interface ConnectionSlots {
  /** A new connection. The oldest one without a valid token goes where there are too many of those. */
  add(socket: Socket): void;
  /** The connection carried a request with a valid token of that owner; undefined for the operator. */
  prove(socket: Socket, owner: string | undefined): void;
}

export interface SlotLimits {
  readonly unproven: number;
  readonly proven: number;
  /** Of the proven ones, for the operator. */
  readonly reserve: number;
}

/**
 * A newcomer is never refused, so a health check gets its answer while somebody else holds thousands of half-sent
 * requests: one of those is closed for it.
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
      // Above its share it stays among those that may be closed, so that the slots of others remain.
      if (typeof giveBack === 'string') return;
      unproven.delete(socket);
      socket.once('close', giveBack);
    },
  };
}
