import { deriveExchange, type EndStep, type Exchange, type Observer } from '../core/index.js';

/** Lets a call report its steps to observers. Without such observers, the exchange is returned unchanged. */
export function withSteps(exchange: Exchange, requestId: string, observers: readonly Observer[]): Exchange {
  const watching = observers.filter((observer) => observer.step !== undefined);
  if (watching.length === 0) return exchange;
  return deriveExchange(() => exchange, { step: (name) => stepOf(watching, requestId, name) });
}

/** An observer that throws loses its own record; the call goes on. */
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
