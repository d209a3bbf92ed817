import type { EndStep, Exchange, Observer } from '../kernel/index.js';

/** Lets the work on a call mark its steps for the observers who care. Without such, the exchange stays as it is. */
export function withSteps(exchange: Exchange, requestId: string, observers: readonly Observer[]): Exchange {
  const watching = observers.filter((observer) => observer.step !== undefined);
  if (watching.length === 0) return exchange;
  return {
    get isCancelled() {
      return exchange.isCancelled;
    },
    get signal() {
      return exchange.signal;
    },
    wantsProgress: exchange.wantsProgress,
    logLevel: exchange.logLevel,
    asking: exchange.asking,
    onCancel: (listener) => exchange.onCancel(listener),
    progress: (params) => exchange.progress(params),
    log: (level, params) => exchange.log(level, params),
    canAnswer: (method) => exchange.canAnswer(method),
    ask: (question) => exchange.ask(question),
    step: (name) => stepOf(watching, requestId, name),
  };
}

/** As with whole attempts: an observer that throws loses its own record, never the call. */
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
    // See above.
    return undefined;
  }
}
