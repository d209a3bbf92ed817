import {
  type Attempt,
  beginAttempt,
  type Call,
  deriveExchange,
  type EndStep,
  type Exchange,
  type Observer,
  type OpenAttempt,
  type Outcome,
  type Request,
} from '../core/index.js';

/** The observers of one request. */
export interface Watching {
  /** Lets the call report its steps. Without observers of steps, the exchange is returned unchanged. */
  withSteps(exchange: Exchange): Exchange;
  end(outcome: Outcome, call: Call | undefined): void;
}

export interface WatchingParts {
  readonly observers: readonly Observer[];
  readonly now: () => number;
  /** Removes secrets from texts before any observer sees them. */
  readonly redact: (text: string) => string;
}

/** Reports each attempt to observers. An observer that throws loses its own record; the call continues. */
export function createWatching(parts: WatchingParts): (request: Request) => Watching {
  const ofSteps = parts.observers.filter((observer) => observer.step !== undefined);
  return (request) => new RequestWatching(parts, ofSteps, request);
}

class RequestWatching implements Watching {
  readonly #ends: ((attempt: Attempt) => void)[] = [];
  readonly #ofSteps: readonly Observer[];
  readonly #now: () => number;
  readonly #begun: OpenAttempt;
  readonly #started: number;

  constructor({ observers, now, redact }: WatchingParts, ofSteps: readonly Observer[], request: Request) {
    this.#ofSteps = ofSteps;
    this.#now = now;
    this.#started = now();
    this.#begun = beginAttempt(request, redact);
    for (const observer of observers) {
      try {
        this.#ends.push(observer.begin(this.#begun));
      } catch {
        // Observers must not fail the call.
      }
    }
  }

  withSteps(exchange: Exchange): Exchange {
    if (this.#ofSteps.length === 0) return exchange;
    return deriveExchange(() => exchange, {
      step: (name) => stepOf(this.#ofSteps, this.#begun.id, name),
    });
  }

  end(outcome: Outcome, call: Call | undefined): void {
    const attempt = this.#begun.end(outcome, call, this.#now() - this.#started);
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
