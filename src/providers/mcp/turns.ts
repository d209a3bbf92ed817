import { createFault, type Fault } from '../../kernel/index.js';
import { cancelledFault } from './link-faults.js';
import type { Clock } from './options.js';

/**
 * Lets calls of one session at a time through to a server that asks questions on a shared line, because only then is
 * it certain whose question it is.
 */
export interface Turns {
  readonly isOn: boolean;
  switchOn(): void;
  /** Resolves when it is this session's turn, with what ends it; or with why it cannot wait. */
  take(sessionId: string, signal: AbortSignal): Promise<(() => void) | Fault>;
}

const maxWaiting = 1000;

interface Waiter {
  readonly sessionId: string;
  readonly go: () => void;
}

export function createTurns(server: string, clock: Clock, waitMs: number): Turns {
  let isOn = false;
  let current: string | undefined;
  let running = 0;
  let waiting: Waiter[] = [];

  function enter(sessionId: string): () => void {
    current = sessionId;
    running += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      running -= 1;
      if (running === 0) passOn();
    };
  }

  /** The next session in line, with everything that it has waiting. */
  function passOn(): void {
    const next = waiting[0]?.sessionId;
    current = next;
    const going = waiting.filter(({ sessionId }) => sessionId === next);
    waiting = waiting.filter(({ sessionId }) => sessionId !== next);
    for (const waiter of going) waiter.go();
  }

  return {
    get isOn() {
      return isOn;
    },
    switchOn() {
      isOn = true;
    },
    take(sessionId, signal) {
      // While others wait, a session that goes on and on may not keep them out.
      if (running === 0 || (current === sessionId && waiting.length === 0)) {
        return Promise.resolve(enter(sessionId));
      }
      if (waiting.length >= maxWaiting) {
        return Promise.resolve(
          createFault('call.too_many', `Too many calls wait for the server ${server}: try again later.`),
        );
      }
      return new Promise((resolve) => {
        const leave = (fault: Fault): void => {
          stop();
          waiting = waiting.filter((other) => other !== waiter);
          resolve(fault);
        };
        const onAbort = (): void => leave(cancelledFault(server));
        const stopTimer = clock.after(waitMs, () => leave(tooLong(server)), true);
        const stop = (): void => {
          stopTimer();
          signal.removeEventListener('abort', onAbort);
        };
        const waiter: Waiter = {
          sessionId,
          go: () => {
            stop();
            resolve(enter(sessionId));
          },
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.push(waiter);
      });
    },
  };
}

function tooLong(server: string): Fault {
  return createFault('call.timeout', `The server ${server} was busy with another session for too long.`);
}
