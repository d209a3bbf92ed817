import type { Call, Exchange, Fault } from '../../core/index.js';
import type { Frame, RawId } from '../../lib/json-rpc.js';
import type { CallFeed } from './call-feed.js';
import { createDeadlineTimer } from './deadline-timer.js';
import type { Clock } from './options.js';
import { createPastCalls, type PastCalls } from './past-calls.js';

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
  /** Ends the request, its feed included. */
  finish(reply: Reply): void;
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

/** Questions within this time belong together. */
const togetherMs = 50;
/** How often progress may restart the time limit of a request. */
export const maxExtensions = 10;

/** The table of pending requests, with one timer for all of them. */
export function createInFlight(clock: Clock, onExpired: (pending: Pending) => void): InFlight {
  const waiting = new Map<number, Pending>();
  const past = createPastCalls(clock);
  const timer = createDeadlineTimer(clock, sweep);

  function sweep(): void {
    const { expired, next } = dueAt(clock.now(), waiting.values());
    for (const pending of expired) if (waiting.delete(pending.id)) onExpired(pending);
    if (next < Number.POSITIVE_INFINITY) timer.arm(next);
  }

  function ownerOf(carrier: number | undefined): Owner {
    if (carrier !== undefined) return ownerBy(waiting.get(carrier));
    return onlyOwner(waiting, past, clock.now());
  }

  return {
    add(pending) {
      waiting.set(pending.id, pending);
      timer.arm(pending.deadline);
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
      else past.answered(id);
      return pending;
    },
    ended(pending, now) {
      if (pending.call !== undefined) past.ended(clientOf(pending.call), now);
    },
    giveUp({ id, call }) {
      if (call !== undefined) past.giveUp(id, call.session.id, clientOf(call));
    },
    takeAll() {
      const all = [...waiting.values()];
      waiting.clear();
      past.clear();
      return all;
    },
    ownerOf,
    lateOwnerOf(carrier) {
      const owner = ownerOf(carrier);
      if (owner.kind === 'none') past.loggedLate();
      const call = owner.kind === 'one' ? owner.pending.call : undefined;
      if (carrier !== undefined || call === undefined) return owner;
      // The server may log about a call of another client that ended a moment ago.
      const isAlone = isOnlyOf(waiting.values(), clientOf(call)) && past.isOnlyOf(clientOf(call));
      return isAlone ? owner : { kind: 'many' };
    },
    isBlockedByGivenUp() {
      const sessions = new Set([...waiting.values()].flatMap(({ call }) => call?.session.id ?? []));
      return sessions.size === 1 && past.isBlocking([...sessions][0]);
    },
    rivalOf: (call) => rivalAmong(waiting.values(), call),
    extend: (pending) => extend(pending, clock),
    asked(pending) {
      pending.questions += 1;
      pending.askedAt = clock.now();
      return (waitedMs) => {
        pending.questions -= 1;
        pending.lastDeadline += waitedMs;
        extend(pending, clock);
      };
    },
    isBusy() {
      for (const pending of waiting.values()) if (pending.deadline < Number.POSITIVE_INFINITY) return true;
      return false;
    },
    stop: () => timer.stop(),
  };
}

/** Requests whose time is over, and the next deadline of the others. */
function dueAt(now: number, waiting: Iterable<Pending>): { expired: readonly Pending[]; next: number } {
  const expired: Pending[] = [];
  let next = Number.POSITIVE_INFINITY;
  for (const pending of waiting) {
    // The time limit is paused while a question is open, so check again later.
    const due = pending.questions > 0 ? now + pending.timeoutMs : pending.deadline;
    if (due <= now) expired.push(pending);
    else if (due < next) next = due;
  }
  return { expired, next };
}

function isOnlyOf(waiting: Iterable<Pending>, client: string): boolean {
  for (const { call } of waiting) if (call !== undefined && clientOf(call) !== client) return false;
  return true;
}

function extend(pending: Pending, clock: Clock): void {
  pending.deadline = Math.min(clock.now() + pending.timeoutMs, pending.lastDeadline);
}

function rivalAmong(waiting: Iterable<Pending>, call: Call): 'none' | 'client' | 'principal' {
  const others = [...waiting].flatMap((pending) => pending.call ?? []);
  if (others.some((other) => principalOf(other) !== principalOf(call))) return 'principal';
  return others.some((other) => clientOf(other) !== clientOf(call)) ? 'client' : 'none';
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
function onlyOwner(waiting: ReadonlyMap<number, Pending>, past: PastCalls, now: number): Owner {
  const calls = [...waiting.values()].filter(({ call }) => call !== undefined);
  const session = calls[0]?.call?.session;
  if (session === undefined) return { kind: 'none' };
  if (calls.some(({ call }) => call?.session.id !== session.id)) return { kind: 'many' };
  if (past.hasGivenUpOther(session.id)) return { kind: 'many' };
  if (calls.length === 1 || session.scope !== 'credential') return ownerBy(calls.at(-1));
  // A call with an open question waits for us, so the message belongs to another one.
  const speaking = calls.filter(({ questions }) => questions === 0);
  if (speaking.length > 0) return speaking.length === 1 ? ownerBy(speaking[0]) : { kind: 'many' };
  const last = calls.reduce((one, other) => (other.askedAt >= one.askedAt ? other : one));
  return now - last.askedAt <= togetherMs ? ownerBy(last) : { kind: 'many' };
}
