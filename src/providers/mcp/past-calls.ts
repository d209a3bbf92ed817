import type { Clock } from './options.js';

/** Calls that are over for their callers, but that the server may still send messages about. */
export interface PastCalls {
  ended(client: string, now: number): void;
  giveUp(id: number, sessionId: string, client: string): void;
  /** The server answered a request that was given up. */
  answered(id: number): void;
  /** The server logged after all calls had ended, so it needs more time to do so. */
  loggedLate(): void;
  hasGivenUpOther(sessionId: string): boolean;
  /** Whether no other client has an abandoned or recently finished call. */
  isOnlyOf(client: string): boolean;
  /** Whether other sessions have abandoned calls, all of them long ago. */
  isBlocking(sessionId: string | undefined): boolean;
  clear(): void;
}

const maxGivenUp = 256;
const givenUpMs = 60_000;
/** After a cancellation, most servers answer or stop asking within this time. */
const graceMs = 3000;
const maxEnded = 256;
/** A log message may follow right after a response. The time is extended for servers that log later. */
const endedMs = 2;
const lateEndedMs = 2000;

interface GivenUp {
  readonly sessionId: string;
  readonly at: number;
  readonly client: string;
  readonly until: number;
}

export function createPastCalls(clock: Clock): PastCalls {
  const givenUp = new Map<number, GivenUp>();
  /** Clients whose calls ended recently, and when. */
  const ended = new Map<string, number>();
  let logsLate = false;

  return {
    ended(client, now) {
      if (ended.size >= maxEnded) ended.clear();
      ended.set(client, now);
    },
    giveUp(id, sessionId, client) {
      const oldest = givenUp.size >= maxGivenUp ? givenUp.keys().next().value : undefined;
      if (oldest !== undefined) givenUp.delete(oldest);
      const at = clock.now();
      givenUp.set(id, { sessionId, at, client, until: at + givenUpMs });
    },
    answered(id) {
      if (givenUp.size > 0) givenUp.delete(id);
    },
    loggedLate() {
      if (ended.size > 0) logsLate = true;
    },
    hasGivenUpOther(sessionId) {
      for (const [id, gone] of givenUp) if (gone.until <= clock.now()) givenUp.delete(id);
      for (const gone of givenUp.values()) if (gone.sessionId !== sessionId) return true;
      return false;
    },
    isOnlyOf(client) {
      for (const gone of givenUp.values()) if (gone.client !== client) return false;
      const since = clock.now() - (logsLate ? lateEndedMs : endedMs);
      for (const [other, at] of ended) if (other !== client && at > since) return false;
      return true;
    },
    isBlocking(sessionId) {
      const others = [...givenUp.values()].filter((gone) => gone.sessionId !== sessionId);
      return others.length > 0 && others.every(({ at }) => clock.now() - at >= graceMs);
    },
    clear() {
      givenUp.clear();
      ended.clear();
    },
  };
}
