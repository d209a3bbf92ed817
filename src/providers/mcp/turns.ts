import { createFault, type Fault } from '../../core/index.js';
import { cancelledFault } from './transport-faults.js';
import type { Clock } from './options.js';
import { createTurnHistory, type TurnHistory } from './turn-history.js';

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
/** How long a call waits for its turn. It is short, because the caller can retry. */
export const turnMs = 5000;
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
  const history = createTurnHistory(clock);

  function enter(taker: Taker): () => void {
    if (running === 0) isOwed = false;
    current = taker;
    running += 1;
    history.served(taker.principal);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      running -= 1;
      if (running === 0) passOn();
    };
  }

  /** Admits all waiting calls of the next client. */
  function passOn(): void {
    const next = nextOf(waiting, history);
    current = next;
    const going = waiting.filter(({ client }) => client === next?.client);
    waiting = waiting.filter(({ client }) => client !== next?.client);
    for (const waiter of going) waiter.go();
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
      const refused = history.isPaused(taker.principal)
        ? pausedFault(server)
        : fullFault(server, taker, waiting);
      if (refused !== undefined) return Promise.resolve(refused);
      // A client with continuous calls must not block others that wait or have timed out.
      const goesOn = current?.client === taker.client && waiting.length === 0 && !isOwed;
      return running === 0 || goesOn ? Promise.resolve(enter(taker)) : wait(taker, signal);
    },
    pause: (principal) => history.pause(principal),
  };
}

/** The waiter of the principal whose last turn was longest ago. */
function nextOf(waiting: readonly Waiter[], history: TurnHistory): Waiter | undefined {
  const lastTurn = ({ principal }: Waiter): number => history.lastTurn(principal);
  return waiting.reduce<Waiter | undefined>(
    (best, waiter) => (best === undefined || lastTurn(waiter) < lastTurn(best) ? waiter : best),
    undefined,
  );
}

function fullFault(server: string, { principal }: Taker, waiting: readonly Waiter[]): Fault | undefined {
  const isFull =
    waiting.length >= maxWaiting ||
    waiting.filter((waiter) => waiter.principal === principal).length >= maxWaitingEach;
  return isFull
    ? createFault('call.too_many', `Too many calls are waiting for the server ${server}. Try again later.`)
    : undefined;
}

function busyFault(server: string): Fault {
  return createFault(
    'provider.busy',
    `The server ${server} is busy with another session. Try again in a moment.`,
  );
}

function pausedFault(server: string): Fault {
  const message = `You left a question from the server ${server} unanswered while other callers were waiting, so they go first now.`;
  return createFault('provider.busy', message, { suggestion: 'Call again in two minutes.' });
}
