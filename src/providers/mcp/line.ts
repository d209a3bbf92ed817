import { messageOf } from '../../lib/error-message.js';
import type { Log } from '../../ports/log.js';
import { principalOf } from './in-flight.js';
import type { Transport, TransportEvents } from './transport.js';
import { heldFault } from './transport-faults.js';
import { createNotices } from './notices.js';
import type { Clock } from './options.js';
import type { Peer, PeerEvents } from './peer.js';
import { createQuestions, type QuestionParts } from './questions.js';
import type { RootsRule } from './roots.js';
import { openRpc, type Rpc } from './rpc.js';
import type { Hears } from './rpc-receiver.js';
import type { Subscription } from './subscription.js';

export interface LineParts {
  readonly server: string;
  readonly openTransport: (events: TransportEvents) => Promise<Transport>;
  readonly timeoutMs: number;
  readonly roots: RootsRule | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: PeerEvents;
  /** Aborts when the start takes too long or is no longer needed. */
  readonly signal: AbortSignal;
}

/** A connection with its listeners, before and after the protocol version is known. */
export interface Line {
  readonly rpc: Rpc;
  /** Call it when the start has succeeded: from then on, its end is reported and the start signal is ignored. */
  keep(peer: Peer, subscription?: Subscription): Peer;
}

/** Why a server could not be opened, as text for the operator. */
export class ConnectFailure extends Error {}

/** The files of the server are not trusted. The start is retried when something needs the server. */
export class UntrustedStart extends ConnectFailure {}

/** The server must not start now. The start is retried soon, even if nothing needs the server. */
export class HeldStart extends ConnectFailure {}

export async function openLine(parts: LineParts): Promise<Line> {
  const { signal, events } = parts;
  if (signal.aborted) throw new ConnectFailure('it took too long to start');
  let subscription: Subscription | undefined;
  let isKept = false;
  const hears = (rpc: Rpc): Hears =>
    listen(parts, rpc, {
      subscription: () => subscription,
      closed: (detail) => {
        if (isKept) events.closed(detail);
      },
    });
  const rpc = await unlessAborted(openRpc({ ...parts, hears }), signal);
  const onAbort = (): void => void rpc.close();
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    rpc,
    keep(peer, opened) {
      isKept = true;
      subscription = opened;
      signal.removeEventListener('abort', onAbort);
      return peer;
    },
  };
}

interface Ears {
  readonly subscription: () => Subscription | undefined;
  readonly closed: (detail: string) => void;
}

function listen(parts: LineParts, rpc: Rpc, ears: Ears): Hears {
  const { inFlight, transport } = rpc;
  const { events, log, clock, roots } = parts;
  const send = (text: string): void => void transport.send(text);
  const onUnattributable = (): void => events.unattributable();
  const onHeld: QuestionParts['onHeld'] = ({ id, call }, isForOtherPrincipal) => {
    if (call !== undefined && isForOtherPrincipal) events.held(principalOf(call));
    rpc.cancel(id, 'other callers wait for the server', heldFault(parts.server));
  };
  const onBlocked = (): void => events.blocked();
  const questions = createQuestions({
    inFlight,
    send,
    roots,
    clock,
    log,
    onUnattributable,
    onBlocked,
    onHeld,
  });
  const notification = createNotices({
    inFlight,
    events,
    clock,
    log,
    onCancelled(id) {
      questions.withdraw(id);
      ears.subscription()?.ended(id);
    },
    onAcknowledged: (id) => ears.subscription()?.acknowledged(id),
  });
  return {
    request: (frame, carrier) => questions.receive(frame, carrier),
    notification,
    ended: (pending) => questions.ended(pending),
    closed: ears.closed,
  };
}

/** An aborted start closes what it opens, even if that happens late. */
async function unlessAborted(opening: Promise<Rpc>, signal: AbortSignal): Promise<Rpc> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(new ConnectFailure('it took too long to start'));
    signal.addEventListener('abort', onAbort, { once: true });
    stop = () => signal.removeEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([opening, aborted]);
  } catch (error) {
    opening.then(
      (late) => late.close(),
      () => undefined,
    );
    throw error instanceof ConnectFailure ? error : new ConnectFailure(messageOf(error));
  } finally {
    stop();
  }
}
