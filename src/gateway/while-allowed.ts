import { type Answer, deriveExchange, type Exchange, type Question } from '../core/index.js';
import { type CancellationSource, createCancellation } from '../lib/cancellation.js';
import { JsonText } from '../lib/json-text.js';

export interface Rights {
  /** Whether the caller may still make this call. */
  isAllowed(): Promise<boolean>;
  /** Called when rights may have changed. */
  onChange(listener: () => void): () => void;
}

/** Poll, because another process can revoke a credential without notice. */
const lookMs = 5000;

/**
 * Ends a call that waits for input as soon as its caller loses the right to make it. A question may stay open for
 * minutes and blocks a shared server meanwhile.
 */
export async function whileAllowed<T>(
  exchange: Exchange,
  rights: Rights,
  run: (exchange: Exchange) => Promise<T>,
): Promise<T> {
  const own = createCancellation();
  const stopListening = exchange.onCancel(() => own.cancel());
  try {
    return await run(guarded(exchange, own, rights));
  } finally {
    stopListening();
  }
}

function guarded(exchange: Exchange, own: CancellationSource, rights: Rights): Exchange {
  let open = 0;
  let stopLooking: (() => void) | undefined;

  async function look(): Promise<void> {
    if (await rights.isAllowed().catch(() => false)) return;
    if (open > 0) own.cancel();
  }

  function startLooking(): () => void {
    const stopRights = rights.onChange(() => void look());
    const timer = setInterval(() => void look(), lookMs);
    timer.unref();
    return () => {
      stopRights();
      clearInterval(timer);
    };
  }

  async function ask(question: Question): Promise<Answer> {
    open += 1;
    stopLooking ??= startLooking();
    let stop = (): void => undefined;
    const ended = new Promise<Answer>((resolve) => {
      stop = own.onCancel(() => resolve(over()));
    });
    try {
      return await Promise.race([exchange.ask(question), ended]);
    } finally {
      stop();
      open -= 1;
      if (open === 0) {
        stopLooking();
        stopLooking = undefined;
      }
    }
  }

  return deriveExchange(() => exchange, {
    get isCancelled() {
      return own.isCancelled;
    },
    get signal() {
      return own.signal;
    },
    onCancel: (listener) => own.onCancel(listener),
    ask,
  });
}

function over(): Answer {
  return { kind: 'refused', error: JsonText.from({ code: -32603, message: 'The call has ended.' }) };
}
