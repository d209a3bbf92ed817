import type { Call, Exchange, Fault, Frame, RawId } from '../../kernel/index.js';
import type { Clock } from './options.js';

/** How a request that we sent came out. */
export type Reply =
  | Extract<Frame, { readonly kind: 'result' | 'error' }>
  | { readonly kind: 'fault'; readonly fault: Fault }
  /** The session was unknown to the server and nothing was carried out: open it again and repeat. */
  | { readonly kind: 'stale' };

/** A request that waits for its answer. The clock stands still while the server waits for an answer of ours. */
export interface Pending {
  readonly id: number;
  readonly call: Call | undefined;
  readonly exchange: Exchange | undefined;
  readonly finish: (reply: Reply) => void;
  readonly timeoutMs: number;
  /** Not told to the server when it takes too long. */
  readonly quiet: boolean;
  /** Progress moves the deadline, but never beyond this. */
  lastDeadline: number;
  deadline: number;
  /** Questions of the server that wait for the caller. */
  questions: number;
  /** When the server asked its last question. */
  askedAt: number;
}

/** Whose a message is that names no request. */
export type Owner =
  | { readonly kind: 'one'; readonly pending: Pending; readonly exchange: Exchange }
  | { readonly kind: 'none' }
  | { readonly kind: 'many' };

export interface InFlight {
  readonly size: number;
  add(pending: Pending): void;
  get(id: number): Pending | undefined;
  /** Takes the request out; whoever takes it must finish it. */
  take(id: number): Pending | undefined;
  /** The request whose answer has this id. Also clears the memory of one that was given up. */
  takeAnswered(id: RawId): Pending | undefined;
  /** Remembers whose call came to its end: the server may still have a log line about it. */
  ended(pending: Pending, now: number): void;
  /** Remembers a request that was given up: the server may still speak of it. */
  giveUp(pending: Pending): void;
  takeAll(): Pending[];
  /** The call that a message belongs to: by its stream, else only if everything in flight is of one session. */
  ownerOf(carrier: number | undefined): Owner;
  /** The same for what may also come after the end of a call. */
  lateOwnerOf(carrier: number | undefined): Owner;
  /** Gives the request its whole time again, within its limit. */
  extend(pending: Pending): void;
  /** The caller was asked, so the time that its answer took does not count. */
  asked(pending: Pending): (waitedMs: number) => void;
  /** True while something waits that will come to an end by itself. */
  isBusy(): boolean;
  stop(): void;
}

const maxGivenUp = 256;
const givenUpMs = 60_000;
const maxEnded = 256;
/** A log line may come on the heels of an answer; from a server that was seen to log later than that, later too. */
const endedMs = 2;
const lateEndedMs = 2000;
/** Questions that come so close belong together. */
const togetherMs = 50;
/** How often progress may give a request its whole time again. */
export const maxExtensions = 10;

interface GivenUp {
  readonly sessionId: string;
  readonly client: string;
  readonly until: number;
}

/** The table of what waits, with one timer for all of it. */
export function createInFlight(clock: Clock, onExpired: (pending: Pending) => void): InFlight {
  const waiting = new Map<number, Pending>();
  const givenUp = new Map<number, GivenUp>();
  /** Clients whose calls ended lately, and when. */
  const ended = new Map<string, number>();
  let logsLate = false;
  let stopTimer: (() => void) | undefined;
  let timerAt = Number.POSITIVE_INFINITY;

  function arm(deadline: number): void {
    if (deadline >= timerAt) return;
    stopTimer?.();
    timerAt = deadline;
    stopTimer = clock.after(Math.max(0, deadline - clock.now()), sweep, true);
  }

  function sweep(): void {
    const now = clock.now();
    timerAt = Number.POSITIVE_INFINITY;
    stopTimer = undefined;
    let next = Number.POSITIVE_INFINITY;
    const expired: Pending[] = [];
    for (const pending of waiting.values()) {
      // While a question is open the time stands still: look again in a while.
      const due = pending.questions > 0 ? now + pending.timeoutMs : pending.deadline;
      if (due <= now) expired.push(pending);
      else if (due < next) next = due;
    }
    for (const pending of expired) if (waiting.delete(pending.id)) onExpired(pending);
    if (next < Number.POSITIVE_INFINITY) arm(next);
  }

  function ownerOf(carrier: number | undefined): Owner {
    if (carrier !== undefined) return ownerBy(waiting.get(carrier));
    forgetOld(givenUp, clock.now());
    return onlyOwner(waiting, givenUp, clock.now());
  }

  /** Whether nobody else has a call that runs, was given up, or ended so lately that the server may still log of it. */
  function isAlone(client: string): boolean {
    for (const { call } of waiting.values())
      if (call !== undefined && clientOf(call) !== client) return false;
    for (const gone of givenUp.values()) if (gone.client !== client) return false;
    const since = clock.now() - (logsLate ? lateEndedMs : endedMs);
    for (const [other, at] of ended) if (other !== client && at > since) return false;
    return true;
  }

  return {
    get size() {
      return waiting.size;
    },
    add(pending) {
      waiting.set(pending.id, pending);
      arm(pending.deadline);
    },
    get: (id) => waiting.get(id),
    take(id) {
      const pending = waiting.get(id);
      if (pending !== undefined) waiting.delete(id);
      return pending;
    },
    takeAnswered(raw) {
      // Our ids are plain integers; anything else was never ours.
      const id = Number(raw);
      const pending = waiting.get(id);
      if (pending !== undefined) waiting.delete(id);
      else if (givenUp.size > 0) givenUp.delete(id);
      return pending;
    },
    ended(pending, now) {
      if (pending.call === undefined) return;
      if (ended.size >= maxEnded) ended.clear();
      ended.set(clientOf(pending.call), now);
    },
    giveUp(pending) {
      if (pending.call === undefined) return;
      const oldest = givenUp.size >= maxGivenUp ? givenUp.keys().next().value : undefined;
      if (oldest !== undefined) givenUp.delete(oldest);
      givenUp.set(pending.id, {
        sessionId: pending.call.session.id,
        client: clientOf(pending.call),
        until: clock.now() + givenUpMs,
      });
    },
    takeAll() {
      const all = [...waiting.values()];
      waiting.clear();
      givenUp.clear();
      ended.clear();
      return all;
    },
    ownerOf,
    lateOwnerOf(carrier) {
      const owner = ownerOf(carrier);
      if (owner.kind === 'none' && ended.size > 0) logsLate = true;
      const call = owner.kind === 'one' ? owner.pending.call : undefined;
      if (carrier !== undefined || call === undefined) return owner;
      return isAlone(clientOf(call)) ? owner : { kind: 'many' };
    },
    extend(pending) {
      pending.deadline = Math.min(clock.now() + pending.timeoutMs, pending.lastDeadline);
    },
    asked(pending) {
      pending.questions += 1;
      pending.askedAt = clock.now();
      return (waitedMs) => {
        pending.questions -= 1;
        pending.lastDeadline += waitedMs;
        pending.deadline = Math.min(clock.now() + pending.timeoutMs, pending.lastDeadline);
      };
    },
    isBusy() {
      for (const pending of waiting.values()) if (pending.deadline < Number.POSITIVE_INFINITY) return true;
      return false;
    },
    stop() {
      stopTimer?.();
      stopTimer = undefined;
      timerAt = Number.POSITIVE_INFINITY;
    },
  };
}

function ownerBy(pending: Pending | undefined): Owner {
  if (pending?.exchange === undefined) return { kind: 'none' };
  return { kind: 'one', pending, exchange: pending.exchange };
}

/** Whose calls may be taken for each other: those of one client. Several may hold one credential, so there each call stands alone. */
export function clientOf({ session, requestId }: Call): string {
  return session.scope === 'credential' ? `${session.id}/${requestId}` : session.id;
}

/** The call that a server speaks of that names none, if all that it may still speak of are of one session. */
function onlyOwner(
  waiting: ReadonlyMap<number, Pending>,
  givenUp: ReadonlyMap<number, GivenUp>,
  now: number,
): Owner {
  const calls = [...waiting.values()].filter(({ call }) => call !== undefined);
  const session = calls[0]?.call?.session;
  if (session === undefined) return { kind: 'none' };
  if (calls.some(({ call }) => call?.session.id !== session.id)) return { kind: 'many' };
  for (const gone of givenUp.values()) if (gone.sessionId !== session.id) return { kind: 'many' };
  if (calls.length === 1 || session.scope !== 'credential') return ownerBy(calls.at(-1));
  // A server that waits for an answer about one call speaks of another.
  const speaking = calls.filter(({ questions }) => questions === 0);
  if (speaking.length > 0) return speaking.length === 1 ? ownerBy(speaking[0]) : { kind: 'many' };
  const last = calls.reduce((one, other) => (other.askedAt >= one.askedAt ? other : one));
  return now - last.askedAt <= togetherMs ? ownerBy(last) : { kind: 'many' };
}

function forgetOld(givenUp: Map<number, GivenUp>, now: number): void {
  for (const [id, gone] of givenUp) if (gone.until <= now) givenUp.delete(id);
}
