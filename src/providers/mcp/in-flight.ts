import type { Call, Exchange, Fault } from '../../core/index.js';
import type { Frame, RawId } from '../../lib/json-rpc.js';
import type { CallFeed } from './call-feed.js';
import type { Clock } from './options.js';

/** The result of a request that we sent. */
export type Reply =
  | Extract<Frame, { readonly kind: 'result' | 'error' }>
  | { readonly kind: 'fault'; readonly fault: Fault }
  /** The session was unknown to the server and nothing was executed. Open it again and retry. */
  | { readonly kind: 'stale' };

/** A request without a response yet. Its time limit is paused while the server waits for an answer from us. */
export interface Pending {
  readonly id: number;
  readonly call: Call | undefined;
  readonly exchange: Exchange | undefined;
  /** Progress and log messages for the caller. */
  readonly feed: CallFeed | undefined;
  readonly finish: (reply: Reply) => void;
  readonly timeoutMs: number;
  /** Do not send a cancellation when it times out. */
  readonly quiet: boolean;
  /** Progress extends the deadline, but never beyond this. */
  lastDeadline: number;
  deadline: number;
  /** Open questions of the server to the caller. */
  questions: number;
  /** When the server asked its last question. */
  askedAt: number;
}

/** The call that a message without a request id belongs to. */
export type Owner =
  | { readonly kind: 'one'; readonly pending: Pending; readonly exchange: Exchange }
  | { readonly kind: 'none' }
  | { readonly kind: 'many' };

export interface InFlight {
  add(pending: Pending): void;
  get(id: number): Pending | undefined;
  /** Removes the request; the caller must finish it. */
  take(id: number): Pending | undefined;
  /** Removes the request with this id. Also forgets an abandoned one. */
  takeAnswered(id: RawId): Pending | undefined;
  /** Remembers a finished call for a moment, because the server may still log about it. */
  ended(pending: Pending, now: number): void;
  /** Remembers an abandoned request, because the server may still send messages about it. */
  giveUp(pending: Pending): void;
  takeAll(): Pending[];
  /** The call that a message belongs to: by its stream, or if all calls in flight belong to one session. */
  ownerOf(carrier: number | undefined): Owner;
  /** Like `ownerOf`, for messages that may come after the end of a call. */
  lateOwnerOf(carrier: number | undefined): Owner;
  /** Whether the owner is unclear only because of calls that were abandoned long ago and never answered. */
  isBlockedByGivenUp(): boolean;
  /** Whether other calls are in flight: of another principal, or only of another client. */
  rivalOf(call: Call): 'none' | 'client' | 'principal';
  /** Restarts the time limit of the request, within its maximum. */
  extend(pending: Pending): void;
  /** Pauses the time limit while the caller answers a question. */
  asked(pending: Pending): (waitedMs: number) => void;
  /** True while requests are pending that will end without cancellation. */
  isBusy(): boolean;
  stop(): void;
}

const maxGivenUp = 256;
const givenUpMs = 60_000;
/** After a cancellation, most servers answer or stop asking within this time. */
const graceMs = 3000;
const maxEnded = 256;
/** A log message may follow right after a response. The time is extended for servers that log later. */
const endedMs = 2;
const lateEndedMs = 2000;
/** Questions within this time belong together. */
const togetherMs = 50;
/** How often progress may restart the time limit of a request. */
export const maxExtensions = 10;

interface GivenUp {
  readonly sessionId: string;
  readonly at: number;
  readonly client: string;
  readonly until: number;
}

/** The table of pending requests, with one timer for all of them. */
export function createInFlight(clock: Clock, onExpired: (pending: Pending) => void): InFlight {
  const waiting = new Map<number, Pending>();
  const givenUp = new Map<number, GivenUp>();
  /** Clients whose calls ended recently, and when. */
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
      // The time limit is paused while a question is open, so check again later.
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

  /** Whether no other client has a running, abandoned or recently finished call that the server may still log about. */
  function isAlone(client: string): boolean {
    for (const { call } of waiting.values())
      if (call !== undefined && clientOf(call) !== client) return false;
    for (const gone of givenUp.values()) if (gone.client !== client) return false;
    const since = clock.now() - (logsLate ? lateEndedMs : endedMs);
    for (const [other, at] of ended) if (other !== client && at > since) return false;
    return true;
  }

  return {
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
      // Our ids are plain integers; ignore anything else.
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
        at: clock.now(),
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
    isBlockedByGivenUp() {
      const sessions = new Set([...waiting.values()].flatMap(({ call }) => call?.session.id ?? []));
      const [session] = sessions;
      const others = [...givenUp.values()].filter(({ sessionId }) => sessionId !== session);
      const isOld = others.length > 0 && others.every(({ at }) => clock.now() - at >= graceMs);
      return sessions.size === 1 && isOld;
    },
    rivalOf(call) {
      const others = [...waiting.values()].flatMap((pending) => pending.call ?? []);
      if (others.some((other) => principalOf(other) !== principalOf(call))) return 'principal';
      return others.some((other) => clientOf(other) !== clientOf(call)) ? 'client' : 'none';
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

/** Calls of one client may be mixed up safely. If several clients may share a credential, each call counts separately. */
export function clientOf({ session, requestId }: Call): string {
  return session.scope === 'credential' ? `${session.id}/${requestId}` : session.id;
}

/** The principal of a call, across sessions and credentials. */
export function principalOf({ session: { principal } }: Call): string {
  return `${principal.zone}/${principal.kind}/${principal.id}`;
}

/** The call that a message without an id belongs to, if all possible calls belong to one session. */
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
  // A call with an open question waits for us, so the message belongs to another one.
  const speaking = calls.filter(({ questions }) => questions === 0);
  if (speaking.length > 0) return speaking.length === 1 ? ownerBy(speaking[0]) : { kind: 'many' };
  const last = calls.reduce((one, other) => (other.askedAt >= one.askedAt ? other : one));
  return now - last.askedAt <= togetherMs ? ownerBy(last) : { kind: 'many' };
}

function forgetOld(givenUp: Map<number, GivenUp>, now: number): void {
  for (const [id, gone] of givenUp) if (gone.until <= now) givenUp.delete(id);
}
