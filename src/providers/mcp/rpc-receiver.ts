import type { Fault } from '../../core/index.js';
import type { Frame } from '../../lib/json-rpc.js';
import type { JsonText } from '../../lib/json-text.js';
import type { Log } from '../../ports/log.js';
import type { InFlight, Pending, Reply } from './in-flight.js';
import type { TransportEvents } from './transport.js';
import { failureFault } from './transport-faults.js';

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

export interface ReceiverParts {
  readonly server: string;
  readonly inFlight: InFlight;
  /** Ends a request with this reply. */
  readonly settle: (pending: Pending, reply: Reply) => void;
  readonly hears: () => Hears;
  readonly log: Log;
}

/** Finds the request that a message of the server belongs to. */
export function createReceiver(parts: ReceiverParts): Pick<TransportEvents, 'frame' | 'failed'> {
  const { server, inFlight, settle, log } = parts;

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

  return {
    frame(frame, carrier) {
      if (frame.kind === 'result' || frame.kind === 'error') return answered(frame, carrier);
      if (frame.kind === 'request') return parts.hears().request(frame, carrier);
      if (frame.kind === 'bad') return malformed(frame.id, carrier, frame.reason);
      if (frame.method === 'notifications/progress') return progressed(frame.params);
      parts.hears().notification(frame, carrier);
    },
    failed(id, failure) {
      const pending = inFlight.take(id);
      if (pending === undefined) return;
      const isStale = failure.kind === 'stale';
      settle(pending, isStale ? { kind: 'stale' } : faultReply(failureFault(server, failure)));
    },
  };
}

function tokenOf(params: JsonText | undefined): number | undefined {
  const value = params?.value;
  if (typeof value !== 'object' || value === null || !('progressToken' in value)) return undefined;
  return typeof value.progressToken === 'number' ? value.progressToken : undefined;
}

export function faultReply(fault: Fault): Reply {
  return { kind: 'fault', fault };
}
