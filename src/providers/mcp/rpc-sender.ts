import { type Call, type Exchange, type Fault, shareOwner } from '../../core/index.js';
import { createShares } from '../../lib/shares.js';
import { notificationText, requestText } from '../../lib/json-rpc.js';
import type { Log } from '../../ports/log.js';
import { createCallFeed } from './call-feed.js';
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

  function send(pending: Pending, text: string, about: About | undefined): void {
    if (parts.isClosed())
      return pending.finish(faultReply(failureFault(server, { kind: 'refused', detail: 'closed' })));
    const owner = pending.call && shareOwner(pending.call.session);
    const giveBack = shares.take(owner);
    if (typeof giveBack === 'string') return pending.finish(faultReply(tooManyFault(server, giveBack)));
    let leave = (): void => undefined;
    const finish = (reply: Reply): void => {
      sending.leave(pending.id);
      giveBack();
      leave();
      pending.finish(reply);
    };
    const sendNow = (): void => {
      if (transport.send(text, pending.id, about)) return;
      inFlight.take(pending.id);
      finish(faultReply(slowFault(server)));
    };
    inFlight.add({ ...pending, finish });
    if (!sending.isNeeded || pending.call === undefined) return sendNow();
    sending.enter(pending.id, owner, text, (freePlaces) => {
      // It may have ended while it waited.
      if (inFlight.get(pending.id) === undefined) return freePlaces();
      leave = freePlaces;
      sendNow();
    });
  }

  return {
    nextId,
    carry(id, text, { call, exchange, about }, finish) {
      if (exchange.isCancelled) return finish(faultReply(cancelledFault(server)));
      const stop = exchange.onCancel(() => parts.cancel(id, 'the caller cancelled'));
      const pending: Pending = {
        ...pendingFor(id, parts.timeoutMs, clock),
        call,
        exchange,
        feed: createCallFeed(exchange, clock, log),
        finish: (reply) => {
          stop();
          finish(reply);
        },
      };
      send(pending, text, about);
    },
    request(method, params, options = {}) {
      const id = nextId();
      const text = requestText(id, method, params);
      return new Promise((resolve) => {
        const { timeoutMs = parts.timeoutMs, quiet = false } = options;
        send(
          { ...pendingFor(id, timeoutMs, clock), finish: resolve, quiet },
          text,
          options.about ?? { method },
        );
      });
    },
    stream(id, text, about, finish) {
      send({ ...pendingFor(id, Number.POSITIVE_INFINITY, clock), finish }, text, about);
    },
    notify(method, params) {
      transport.send(notificationText(method, params), undefined, { method });
    },
  };
}

function pendingFor(id: number, timeoutMs: number, clock: Clock): Omit<Pending, 'finish'> {
  const now = clock.now();
  return {
    id,
    timeoutMs,
    quiet: false,
    deadline: now + timeoutMs,
    lastDeadline: now + timeoutMs * maxExtensions,
    call: undefined,
    exchange: undefined,
    feed: undefined,
    questions: 0,
    askedAt: 0,
  };
}
