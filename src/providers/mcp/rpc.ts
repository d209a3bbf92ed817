import { type Call, type Exchange, type Fault, shareOwner } from '../../core/index.js';
import { createFairQueue } from '../../lib/fair-queue.js';
import { createShares } from '../../lib/shares.js';
import { type Frame, notificationText, requestText } from '../../lib/json-rpc.js';
import type { JsonText } from '../../lib/json-text.js';
import type { Log } from '../../ports/log.js';
import { createCallFeed } from './call-feed.js';
import { createInFlight, type InFlight, maxExtensions, type Pending, type Reply } from './in-flight.js';
import {
  type About,
  type Transport,
  type TransportEvents,
  type TransportFailure,
  requestPlaces,
} from './transport.js';
import { cancelledFault, failureFault, slowFault, timeoutFault, tooManyFault } from './transport-faults.js';
import type { Clock } from './options.js';

type RequestFrame = Extract<Frame, { readonly kind: 'request' }>;
type NotificationFrame = Extract<Frame, { readonly kind: 'notification' }>;

export interface Hears {
  request(frame: RequestFrame, carrier: number | undefined): void;
  notification(frame: NotificationFrame, carrier: number | undefined): void;
  /** The call has ended, so open questions of the server cannot be answered. */
  ended(pending: Pending): void;
  /** The connection is gone and all pending requests have been answered. */
  closed(detail: string): void;
}

export interface RpcParts {
  readonly server: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly openTransport: (events: TransportEvents) => Promise<Transport>;
  readonly hears: (rpc: Rpc) => Hears;
}

export interface RequestOptions {
  readonly timeoutMs?: number;
  readonly about?: About;
  /** Do not send a cancellation when it times out. */
  readonly quiet?: boolean;
}

/** Requests and responses over one connection: ids, time limits, cancellation. Independent of the protocol version. */
export interface Rpc {
  readonly transport: Transport;
  readonly inFlight: InFlight;
  /** When a request was last sent or answered. */
  readonly lastUse: number;
  nextId(): number;
  /** Sends the request of a call; `finish` is called exactly once. */
  carry(id: number, text: string, order: CallOrder, finish: (reply: Reply) => void): void;
  /** Sends one of our own requests. */
  request(method: string, params: string | undefined, options?: RequestOptions): Promise<Reply>;
  /** Sends a request that stays open until the server ends it or it is cancelled. */
  stream(id: number, text: string, about: About, finish: (reply: Reply) => void): void;
  /** `fault` is returned to the caller instead of the usual cancellation fault. */
  cancel(id: number, reason: string, fault?: Fault): void;
  /** Closes the connection as failed: all pending requests are lost and the supervisor is notified. */
  fail(detail: string): void;
  /** Ends a request that the server has ended on its side. */
  drop(id: number): void;
  notify(method: string, params?: string): void;
  close(): Promise<void>;
}

export interface CallOrder {
  readonly call: Call;
  readonly exchange: Exchange;
  readonly about?: About;
}

const maxInFlight = 10_000;
/** Reserved for the operator and for requests of the gateway itself. */
const reservedInFlight = 500;
const reservedPlaces = 32;

export async function openRpc(parts: RpcParts): Promise<Rpc> {
  const { server, clock, log } = parts;
  let lastId = 0;
  let lastUse = clock.now();
  let isClosed = false;
  const inFlight = createInFlight(clock, (pending) => {
    if (pending.quiet) transport.abandon(pending.id);
    else giveUp(pending, 'timed out');
    settle(pending, faultReply(timeoutFault(server, pending.timeoutMs)));
  });
  const shares = createShares(maxInFlight, reservedInFlight);
  const events: TransportEvents = { frame: receive, failed, closed: lost };
  const transport = await parts.openTransport(events);
  // Without it, whoever has most calls would have all of what the transport can do at once.
  const queue =
    transport.places === undefined ? undefined : createFairQueue(transport.places, reservedPlaces);
  /** Of the requests that wait for their turn: how to leave the queue. */
  const queued = new Map<number, () => boolean>();

  function receive(frame: Frame, carrier: number | undefined): void {
    if (frame.kind === 'result' || frame.kind === 'error') return answered(frame, carrier);
    if (frame.kind === 'request') return hears.request(frame, carrier);
    if (frame.kind === 'bad') return malformed(frame.id, carrier, frame.reason);
    if (frame.method === 'notifications/progress') return progressed(frame.params);
    hears.notification(frame, carrier);
  }

  function answered(frame: Extract<Frame, { kind: 'result' | 'error' }>, carrier: number | undefined): void {
    const id = frame.id ?? (carrier === undefined ? undefined : String(carrier));
    // Ignore a response that arrives on the stream of another request.
    if (id === undefined || (carrier !== undefined && id !== String(carrier))) return;
    const pending = inFlight.takeAnswered(id);
    if (pending === undefined) log('debug', 'a response without a pending request was dropped', { id });
    else settle(pending, frame);
  }

  function malformed(id: string | undefined, carrier: number | undefined, reason: string): void {
    const about = id ?? (carrier === undefined ? undefined : String(carrier));
    const pending = about === undefined ? undefined : inFlight.takeAnswered(about);
    if (pending === undefined) return;
    settle(pending, faultReply(failureFault(server, { kind: 'malformed', detail: reason })));
  }

  function progressed(params: JsonText | undefined): void {
    const token = tokenOf(params);
    const pending = token === undefined ? undefined : inFlight.get(token);
    if (params === undefined || pending?.exchange === undefined || !pending.exchange.wantsProgress) return;
    inFlight.extend(pending);
    pending.feed?.progress(params);
  }

  function failed(id: number, failure: TransportFailure): void {
    const pending = inFlight.take(id);
    if (pending === undefined) return;
    settle(pending, failure.kind === 'stale' ? { kind: 'stale' } : faultReply(failureFault(server, failure)));
  }

  function settle(pending: Pending, reply: Reply): void {
    lastUse = clock.now();
    inFlight.ended(pending, lastUse);
    if (pending.questions > 0) hears.ended(pending);
    pending.feed?.end();
    pending.finish(reply);
  }

  /** True if the request had not been sent. */
  function leaveQueue(id: number): boolean {
    const leave = queued.get(id);
    queued.delete(id);
    return leave?.() ?? false;
  }

  function giveUp(pending: Pending, reason: string): void {
    if (leaveQueue(pending.id)) return;
    inFlight.giveUp(pending);
    transport.cancel(pending.id, reason);
  }

  function failAll(fault: Fault): void {
    for (const pending of inFlight.takeAll()) settle(pending, faultReply(fault));
  }

  function lost(detail: string): void {
    if (isClosed) return;
    isClosed = true;
    inFlight.stop();
    failAll(failureFault(server, { kind: 'lost', detail }));
    hears.closed(detail);
  }

  function send(pending: Pending, text: string, about: About | undefined): void {
    if (isClosed)
      return pending.finish(faultReply(failureFault(server, { kind: 'refused', detail: 'closed' })));
    const owner = pending.call && shareOwner(pending.call.session);
    const giveBack = shares.take(owner);
    if (typeof giveBack === 'string') return pending.finish(faultReply(tooManyFault(server, giveBack)));
    let leave = (): void => undefined;
    const finish = (reply: Reply): void => {
      leaveQueue(pending.id);
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
    if (queue === undefined || pending.call === undefined) return sendNow();
    const start = (freePlaces: () => void): void => {
      queued.delete(pending.id);
      // It may have ended while it waited.
      if (inFlight.get(pending.id) === undefined) return freePlaces();
      leave = freePlaces;
      sendNow();
    };
    const quit = queue.enter(owner, start, requestPlaces(text));
    if (quit !== undefined) queued.set(pending.id, quit);
  }

  function pendingFor(id: number, timeoutMs: number, finish: (reply: Reply) => void, quiet = false): Pending {
    const now = clock.now();
    const times = { deadline: now + timeoutMs, lastDeadline: now + timeoutMs * maxExtensions };
    return {
      id,
      finish,
      timeoutMs,
      quiet,
      ...times,
      call: undefined,
      exchange: undefined,
      feed: undefined,
      questions: 0,
      askedAt: 0,
    };
  }

  function cancel(id: number, reason: string, fault = cancelledFault(server)): void {
    const pending = inFlight.take(id);
    if (pending === undefined) return;
    giveUp(pending, reason);
    settle(pending, faultReply(fault));
  }

  const rpc: Rpc = {
    transport,
    inFlight,
    get lastUse() {
      return lastUse;
    },
    nextId: () => {
      lastId += 1;
      return lastId;
    },
    carry(id, text, { call, exchange, about }, finish) {
      if (exchange.isCancelled) return finish(faultReply(cancelledFault(server)));
      const stop = exchange.onCancel(() => cancel(id, 'the caller cancelled'));
      const now = clock.now();
      const pending: Pending = {
        id,
        call,
        exchange,
        feed: createCallFeed(exchange, clock, log),
        finish: (reply) => {
          stop();
          finish(reply);
        },
        timeoutMs: parts.timeoutMs,
        quiet: false,
        lastDeadline: now + parts.timeoutMs * maxExtensions,
        deadline: now + parts.timeoutMs,
        questions: 0,
        askedAt: 0,
      };
      send(pending, text, about);
    },
    request(method, params, options = {}) {
      const id = rpc.nextId();
      const text = requestText(id, method, params);
      return new Promise((resolve) => {
        const pending = pendingFor(id, options.timeoutMs ?? parts.timeoutMs, resolve, options.quiet);
        send(pending, text, options.about ?? { method });
      });
    },
    stream(id, text, about, finish) {
      send(pendingFor(id, Number.POSITIVE_INFINITY, finish), text, about);
    },
    cancel,
    fail(detail) {
      lost(detail);
      void transport.close();
    },
    drop: (id) => failed(id, { kind: 'lost', detail: 'ended by the server' }),
    notify(method, params) {
      transport.send(notificationText(method, params), undefined, { method });
    },
    async close() {
      isClosed = true;
      inFlight.stop();
      failAll(failureFault(server, { kind: 'lost', detail: 'closed by the gateway' }));
      await transport.close();
    },
  };
  const hears = parts.hears(rpc);
  return rpc;
}

function tokenOf(params: JsonText | undefined): number | undefined {
  const value = params?.value;
  if (typeof value !== 'object' || value === null || !('progressToken' in value)) return undefined;
  return typeof value.progressToken === 'number' ? value.progressToken : undefined;
}

function faultReply(fault: Fault): Reply {
  return { kind: 'fault', fault };
}
