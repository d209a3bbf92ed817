import { createFault, type Fault } from '../../core/index.js';
import { cancelledFault } from './transport-faults.js';
import type { Clock } from './options.js';

/** Identifies the caller of a turn. Calls of one client may run together; turns are fair between principals. */
export interface Taker {
  readonly client: string;
  readonly principal: string;
}

/**
 * Admits calls of one session at a time to a server that sends requests over a shared connection, because only then is it
 * certain which session a request belongs to.
 */
export interface Turns {
  readonly isOn: boolean;
  switchOn(): void;
  /** Resolves with a function that ends the turn, or with a fault if the caller cannot wait. */
  take(taker: Taker, signal: AbortSignal): Promise<(() => void) | Fault>;
  /** Denies turns to a principal for a while, because it held the server too long while others waited. */
  pause(principal: string): void;
}

const maxWaiting = 1000;
const maxWaitingEach = 100;
const maxRemembered = 1000;
/** How long a call waits for its turn. It is short, because the caller can retry. */
export const turnMs = 5000;
/** Longer than abandoned calls are remembered, so that others can be asked. */
const pauseMs = 120_000;

interface Waiter extends Taker {
  readonly go: () => void;
}

export function createTurns(server: string, clock: Clock, waitMs: number): Turns {
  let isOn = false;
  let current: Taker | undefined;
  let running = 0;
  let waiting: Waiter[] = [];
  /** Whether another caller timed out since the current turn began. */
  let isOwed = false;
  let served = 0;
  const servedAt = new Map<string, number>();
  const pausedUntil = new Map<string, number>();

  function enter(taker: Taker): () => void {
    if (running === 0) isOwed = false;
    current = taker;
    running += 1;
    served += 1;
    if (servedAt.size >= maxRemembered) servedAt.clear();
    servedAt.set(taker.principal, served);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      running -= 1;
      if (running === 0) passOn();
    };
  }

  /** Admits all waiting calls of the next client: one of the principal whose last turn was longest ago. */
  function passOn(): void {
    const lastTurn = ({ principal }: Waiter): number => servedAt.get(principal) ?? 0;
    const next = waiting.reduce<Waiter | undefined>(
      (best, waiter) => (best === undefined || lastTurn(waiter) < lastTurn(best) ? waiter : best),
      undefined,
    );
    current = next;
    const going = waiting.filter(({ client }) => client === next?.client);
    waiting = waiting.filter(({ client }) => client !== next?.client);
    for (const waiter of going) waiter.go();
  }

  function refusal({ principal }: Taker): Fault | undefined {
    if ((pausedUntil.get(principal) ?? 0) > clock.now()) return pausedFault(server);
    const isFull =
      waiting.length >= maxWaiting ||
      waiting.filter((waiter) => waiter.principal === principal).length >= maxWaitingEach;
    return isFull
      ? createFault('call.too_many', `Too many calls are waiting for the server ${server}. Try again later.`)
      : undefined;
  }

  function wait(taker: Taker, signal: AbortSignal): Promise<(() => void) | Fault> {
    return new Promise((resolve) => {
      const leave = (fault: Fault): void => {
        stop();
        waiting = waiting.filter((other) => other !== waiter);
        resolve(fault);
      };
      const onAbort = (): void => leave(cancelledFault(server));
      const giveUp = (): void => {
        if (current?.principal !== taker.principal) isOwed = true;
        leave(busyFault(server));
      };
      const stopTimer = clock.after(waitMs, giveUp, true);
      const stop = (): void => {
        stopTimer();
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        ...taker,
        go: () => {
          stop();
          resolve(enter(taker));
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.push(waiter);
    });
  }

  return {
    get isOn() {
      return isOn;
    },
    switchOn() {
      isOn = true;
    },
    take(taker, signal) {
      const refused = refusal(taker);
      if (refused !== undefined) return Promise.resolve(refused);
      // A client with continuous calls must not block others that wait or have timed out.
      const goesOn = current?.client === taker.client && waiting.length === 0 && !isOwed;
      return running === 0 || goesOn ? Promise.resolve(enter(taker)) : wait(taker, signal);
    },
    pause(principal) {
      if (pausedUntil.size >= maxRemembered) pausedUntil.clear();
      pausedUntil.set(principal, clock.now() + pauseMs);
    },
  };
}

function busyFault(server: string): Fault {
  return createFault(
    'provider.busy',
    `The server ${server} is busy with another session. Try again in a moment.`,
  );
}

function pausedFault(server: string): Fault {
  const message = `You left a question of the server ${server} open while other callers waited, so they go first now.`;
  return createFault('provider.busy', message, { suggestion: 'Call again in two minutes.' });
}
