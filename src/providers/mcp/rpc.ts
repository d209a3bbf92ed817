import type { Fault } from '../../core/index.js';
import type { Log } from '../../ports/log.js';
import { createInFlight, type InFlight, type Pending, type Reply } from './in-flight.js';
import type { Clock } from './options.js';
import { createReceiver, faultReply, type Hears } from './rpc-receiver.js';
import { createRequestSender, type RequestSender } from './rpc-sender.js';
import { createSendQueue } from './send-queue.js';
import type { Transport, TransportEvents } from './transport.js';
import { cancelledFault, failureFault, timeoutFault } from './transport-faults.js';

export interface RpcParts {
  readonly server: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly openTransport: (events: TransportEvents) => Promise<Transport>;
  readonly hears: (rpc: Rpc) => Hears;
}

/** Requests and responses over one connection: ids, time limits, cancellation. Independent of the protocol version. */
export interface Rpc extends RequestSender {
  readonly transport: Transport;
  readonly inFlight: InFlight;
  /** When a request was last sent or answered. */
  readonly lastUse: number;
  /** `fault` is returned to the caller instead of the usual cancellation fault. */
  cancel(id: number, reason: string, fault?: Fault): void;
  /** Closes the connection as failed: all pending requests are lost and the supervisor is notified. */
  fail(detail: string): void;
  /** Ends a request that the server has ended on its side. */
  drop(id: number): void;
  close(): Promise<void>;
}

export async function openRpc(parts: RpcParts): Promise<Rpc> {
  const { server, clock, log } = parts;
  let lastUse = clock.now();
  let isClosed = false;
  const inFlight = createInFlight(clock, (pending) => {
    if (pending.quiet) transport.abandon(pending.id);
    else giveUp(pending, 'timed out');
    settle(pending, faultReply(timeoutFault(server, pending.timeoutMs)));
  });
  const received = createReceiver({ server, inFlight, settle, hears: () => hears, log });
  const transport = await parts.openTransport({ ...received, closed: lost });
  const sending = createSendQueue(transport);

  function settle(pending: Pending, reply: Reply): void {
    lastUse = clock.now();
    inFlight.ended(pending, lastUse);
    if (pending.questions > 0) hears.ended(pending);
    pending.finish(reply);
  }

  function giveUp(pending: Pending, reason: string): void {
    if (sending.leave(pending.id)) return;
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

  function cancel(id: number, reason: string, fault = cancelledFault(server)): void {
    const pending = inFlight.take(id);
    if (pending === undefined) return;
    giveUp(pending, reason);
    settle(pending, faultReply(fault));
  }

  const sender = createRequestSender({
    server,
    timeoutMs: parts.timeoutMs,
    clock,
    log,
    inFlight,
    transport,
    sending,
    isClosed: () => isClosed,
    cancel,
  });
  const rpc: Rpc = {
    ...sender,
    transport,
    inFlight,
    get lastUse() {
      return lastUse;
    },
    cancel,
    fail(detail) {
      lost(detail);
      void transport.close();
    },
    drop: (id) => received.failed(id, { kind: 'lost', detail: 'ended by the server' }),
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
