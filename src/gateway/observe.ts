import {
  type Attempt,
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

/** Reports each attempt to observers. An observer that throws loses its own record; the call continues. */
export function createWatching(
  observers: readonly Observer[],
  now: () => number,
): (request: Request) => Watching {
  const ofSteps = observers.filter((observer) => observer.step !== undefined);
  return (request) => new RequestWatching(observers, ofSteps, now, request);
}

class RequestWatching implements Watching {
  readonly #ends: ((attempt: Attempt) => void)[] = [];
  readonly #ofSteps: readonly Observer[];
  readonly #now: () => number;
  readonly #request: Request;
  readonly #started: number;

  constructor(
    observers: readonly Observer[],
    ofSteps: readonly Observer[],
    now: () => number,
    request: Request,
  ) {
    this.#ofSteps = ofSteps;
    this.#now = now;
    this.#request = request;
    this.#started = now();
    for (const observer of observers) {
      try {
        this.#ends.push(observer.begin(request));
      } catch {
        // Observers must not fail the call.
      }
    }
  }

  withSteps(exchange: Exchange): Exchange {
    if (this.#ofSteps.length === 0) return exchange;
    return deriveExchange(() => exchange, {
      step: (name) => stepOf(this.#ofSteps, this.#request.id, name),
    });
  }

  end(outcome: Outcome, call: Call | undefined): void {
    const ms = this.#now() - this.#started;
    const attempt = { request: this.#request, ...(call && { call }), outcome, ms };
    for (const end of this.#ends) {
      try {
        end(attempt);
      } catch {
        // As above.
      }
    }
  }
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
