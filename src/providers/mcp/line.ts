import type { Log } from '../../kernel/index.js';
import type { Link, LinkEvents } from './link.js';
import { createNotices } from './notices.js';
import type { Clock } from './options.js';
import type { Peer, PeerEvents } from './peer.js';
import { createQuestions } from './questions.js';
import { type Hears, openRpc, type Rpc } from './rpc.js';
import type { Subscription } from './subscription.js';

export interface LineParts {
  readonly server: string;
  readonly openLink: (events: LinkEvents) => Promise<Link>;
  readonly timeoutMs: number;
  readonly roots: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly events: PeerEvents;
  /** Aborts when the start takes too long, or is not wanted any more. */
  readonly signal: AbortSignal;
}

/** A link with all that listens to it, before and after the era is known. */
export interface Line {
  readonly rpc: Rpc;
  /** The start has succeeded: from now on its end is told, and the signal of the start means nothing. */
  keep(peer: Peer, subscription?: Subscription): Peer;
}

/** Why a server could not be opened, in a sentence for the operator. */
export class ConnectFailure extends Error {}

export async function openLine(parts: LineParts): Promise<Line> {
  const { signal, events } = parts;
  if (signal.aborted) throw new ConnectFailure('took too long to start');
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

function listen(parts: LineParts, { inFlight, link }: Rpc, ears: Ears): Hears {
  const { events, log, clock, roots } = parts;
  const send = (text: string): void => void link.send(text);
  const onUnattributable = (): void => events.unattributable();
  const questions = createQuestions({ inFlight, send, roots, clock, log, onUnattributable });
  const notification = createNotices({
    inFlight,
    events,
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

/** A start that is given up closes what it opens, however late. */
async function unlessAborted(opening: Promise<Rpc>, signal: AbortSignal): Promise<Rpc> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(new ConnectFailure('took too long to start'));
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
