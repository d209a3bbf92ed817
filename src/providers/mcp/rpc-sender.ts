import { type Call, type Exchange, type Fault, shareOwner } from '../../core/index.js';
import { createShares } from '../../lib/shares.js';
import { notificationText, requestText } from '../../lib/json-rpc.js';
import type { Log } from '../../ports/log.js';
import { type CallFeed, createCallFeed } from './call-feed.js';
import { type InFlight, maxExtensions, type Pending, type Reply } from './in-flight.js';
import type { Clock } from './options.js';
import { faultReply } from './rpc-receiver.js';
import type { SendQueue } from './send-queue.js';
import type { About, Transport } from './transport.js';
import { cancelledFault, failureFault, slowFault, tooManyFault } from './transport-faults.js';

export interface RequestOptions {
  readonly timeoutMs?: number;
  readonly about?: About;
  /** Do not send a cancellation when it times out. */
  readonly quiet?: boolean;
}

export interface CallOrder {
  readonly call: Call;
  readonly exchange: Exchange;
  readonly about?: About;
}

/** Sends requests and notes them as pending, within the share of each caller. */
export interface RequestSender {
  nextId(): number;
  /** Sends the request of a call; `finish` is called exactly once. */
  carry(id: number, text: string, order: CallOrder, finish: (reply: Reply) => void): void;
  /** Sends one of our own requests. */
  request(method: string, params: string | undefined, options?: RequestOptions): Promise<Reply>;
  /** Sends a request that stays open until the server ends it or it is cancelled. */
  stream(id: number, text: string, about: About, finish: (reply: Reply) => void): void;
  notify(method: string, params?: string): void;
}

export interface SenderParts {
  readonly server: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly inFlight: InFlight;
  readonly transport: Transport;
  readonly sending: SendQueue;
  readonly isClosed: () => boolean;
  readonly cancel: (id: number, reason: string, fault?: Fault) => void;
}

const maxInFlight = 10_000;
/** Reserved for the operator and for requests of the gateway itself. */
const reservedInFlight = 500;

export function createRequestSender(parts: SenderParts): RequestSender {
  const { server, clock, log, inFlight, transport, sending } = parts;
  const shares = createShares(maxInFlight, reservedInFlight);
  let lastId = 0;

  function nextId(): number {
    lastId += 1;
    return lastId;
  }

  function ended(pending: PendingRequest): void {
    if (sending.isNeeded) sending.leave(pending.id);
    shares.leave(pending.owner);
    pending.freePlaces?.();
  }

  function send(pending: PendingRequest, text: string, about: About | undefined): void {
    if (parts.isClosed())
      return pending.finish(faultReply(failureFault(server, { kind: 'refused', detail: 'closed' })));
    const refusal = shares.enter(pending.owner);
    if (refusal !== undefined) return pending.finish(faultReply(tooManyFault(server, refusal)));
    pending.ended = ended;
    inFlight.add(pending);
    if (!sending.isNeeded || pending.call === undefined) return sendNow(pending, text, about);
    sending.enter(pending.id, pending.owner, text, (freePlaces) => {
      // It may have ended while it waited.
      if (inFlight.get(pending.id) === undefined) return freePlaces();
      pending.freePlaces = freePlaces;
      sendNow(pending, text, about);
    });
  }

  function sendNow(pending: PendingRequest, text: string, about: About | undefined): void {
    if (transport.send(text, pending.id, about)) return;
    inFlight.take(pending.id);
    pending.finish(faultReply(slowFault(server)));
  }

  return {
    nextId,
    carry(id, text, { call, exchange, about }, finish) {
      if (exchange.isCancelled) return finish(faultReply(cancelledFault(server)));
      const pending = new PendingRequest(id, parts.timeoutMs, clock, finish);
      pending.call = call;
      pending.exchange = exchange;
      pending.owner = shareOwner(call.session);
      pending.openFeed = () => createCallFeed(exchange, clock, log);
      pending.stopListening = exchange.onCancel(() => parts.cancel(id, 'the caller cancelled'));
      send(pending, text, about);
    },
    request(method, params, options = {}) {
      const id = nextId();
      const text = requestText(id, method, params);
      return new Promise((resolve) => {
        const pending = new PendingRequest(id, options.timeoutMs ?? parts.timeoutMs, clock, resolve);
        pending.quiet = options.quiet ?? false;
        send(pending, text, options.about ?? { method });
      });
    },
    stream(id, text, about, finish) {
      send(new PendingRequest(id, Number.POSITIVE_INFINITY, clock, finish), text, about);
    },
    notify(method, params) {
      transport.send(notificationText(method, params), undefined, { method });
    },
  };
}

/** A class, because one is created for every call. */
class PendingRequest implements Pending {
  readonly id: number;
  readonly timeoutMs: number;
  call: Call | undefined = undefined;
  exchange: Exchange | undefined = undefined;
  quiet = false;
  deadline: number;
  lastDeadline: number;
  questions = 0;
  askedAt = 0;
  /** Whose share it takes. Undefined: the operator's, or the gateway's own. */
  owner: string | undefined = undefined;
  openFeed: (() => CallFeed) | undefined = undefined;
  stopListening: (() => void) | undefined = undefined;
  freePlaces: (() => void) | undefined = undefined;
  /** Gives back what the request took. Set once it has taken it. */
  ended: ((pending: PendingRequest) => void) | undefined = undefined;
  readonly #finish: (reply: Reply) => void;
  #feed: CallFeed | undefined = undefined;

  constructor(id: number, timeoutMs: number, clock: Clock, finish: (reply: Reply) => void) {
    const now = clock.now();
    this.id = id;
    this.timeoutMs = timeoutMs;
    this.deadline = now + timeoutMs;
    this.lastDeadline = now + timeoutMs * maxExtensions;
    this.#finish = finish;
  }

  /** Opened with the first message, because most calls report nothing. */
  get feed(): CallFeed | undefined {
    return (this.#feed ??= this.openFeed?.());
  }

  finish(reply: Reply): void {
    this.#feed?.end();
    this.ended?.(this);
    this.stopListening?.();
    this.#finish(reply);
  }
}
