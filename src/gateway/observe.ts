import {
  type Call,
  deriveExchange,
  type EndStep,
  type Exchange,
  type Observer,
  type Outcome,
  type Request,
} from '../core/index.js';

/** The observers of one request. */
export interface Watching {
  /** Lets the call report its steps. Without observers of steps, the exchange is returned unchanged. */
  withSteps(exchange: Exchange): Exchange;
  end(outcome: Outcome, call: Call | undefined): void;
}

/** Tells observers of each attempt. An observer that throws loses its own record; the call goes on. */
export function createWatching(
  observers: readonly Observer[],
  now: () => number,
): (request: Request) => Watching {
  const ofSteps = observers.filter((observer) => observer.step !== undefined);
  return (request) => {
    const started = now();
    const ends = observers.map((observer) => attempted(() => observer.begin(request)));
    return {
      withSteps: (exchange) =>
        ofSteps.length === 0
          ? exchange
          : deriveExchange(() => exchange, { step: (name) => stepOf(ofSteps, request.id, name) }),
      end(outcome, call) {
        const attempt = { request, ...(call && { call }), outcome, ms: now() - started };
        for (const end of ends) attempted(() => end?.(attempt));
      },
    };
  };
}

function stepOf(observers: readonly Observer[], requestId: string, name: string): EndStep {
  const ends = observers.map((observer) => attempted(() => observer.step?.(requestId, name)));
  return (failure) => {
    for (const end of ends) attempted(() => end?.(failure));
  };
}

function attempted<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    // Observers must not fail the call.
    return undefined;
  }
}
