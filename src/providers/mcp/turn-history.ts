import type { Clock } from './options.js';

/** When each principal had its last turn, and which principals get none for a while. */
export interface TurnHistory {
  served(principal: string): void;
  /** The number of the last turn of this principal. Zero if there was none. */
  lastTurn(principal: string): number;
  pause(principal: string): void;
  isPaused(principal: string): boolean;
}

const maxRemembered = 1000;
/** Longer than abandoned calls are remembered, so that others can be asked. */
const pauseMs = 120_000;

export function createTurnHistory(clock: Clock): TurnHistory {
  let turns = 0;
  const servedAt = new Map<string, number>();
  const pausedUntil = new Map<string, number>();
  return {
    served(principal) {
      turns += 1;
      if (servedAt.size >= maxRemembered) servedAt.clear();
      servedAt.set(principal, turns);
    },
    lastTurn: (principal) => servedAt.get(principal) ?? 0,
    pause(principal) {
      if (pausedUntil.size >= maxRemembered) pausedUntil.clear();
      pausedUntil.set(principal, clock.now() + pauseMs);
    },
    isPaused: (principal) => (pausedUntil.get(principal) ?? 0) > clock.now(),
  };
}
