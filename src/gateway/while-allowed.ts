import { type Answer, DerivedExchange, type Exchange, type Question, type Request } from '../core/index.js';
import { JsonText } from '../lib/json-text.js';

export interface Rights {
  /** Whether the caller may still make this call. */
  isAllowed(request: Request): Promise<boolean>;
  /** Called when rights may have changed. */
  onChange(listener: () => void): () => void;
}

/** Poll, because another process can revoke a credential without notice. */
const lookMs = 5000;

/**
 * The exchange of a call that ends as soon as it waits for input and its caller loses the right to make it. A question may
 * stay open for minutes and blocks a shared server meanwhile.
 */
export class ExchangeWhileAllowed extends DerivedExchange {
  readonly #exchange: Exchange;
  readonly #request: Request;
  readonly #rights: Rights;
  #isOver = false;
  /** Listeners for the end of the call, with the functions that stop listening to the caller. */
  #listeners: Map<() => void, () => void> | undefined;
  #controller: AbortController | undefined;
  #openQuestions = 0;
  #stopLooking: (() => void) | undefined;

  constructor(exchange: Exchange, request: Request, rights: Rights) {
    super(() => exchange);
    this.#exchange = exchange;
    this.#request = request;
    this.#rights = rights;
  }

  override get isCancelled(): boolean {
    return this.#isOver || this.#exchange.isCancelled;
  }

  override get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      this.onCancel(() => controller.abort());
    }
    return this.#controller.signal;
  }

  override onCancel(listener: () => void): () => void {
    if (this.#isOver) {
      listener();
      return () => undefined;
    }
    const listeners = (this.#listeners ??= new Map());
    // A separate function for each: the same listener may be added twice.
    const once = (): void => {
      listeners.delete(once);
      listener();
    };
    const stop = this.#exchange.onCancel(once);
    if (!this.#exchange.isCancelled) listeners.set(once, stop);
    return () => {
      listeners.delete(once);
      stop();
    };
  }

  override async ask(question: Question): Promise<Answer> {
    this.#openQuestions += 1;
    this.#stopLooking ??= this.#startLooking();
    let stop = (): void => undefined;
    const ended = new Promise<Answer>((resolve) => {
      stop = this.onCancel(() => resolve(over()));
    });
    try {
      return await Promise.race([this.#exchange.ask(question), ended]);
    } finally {
      stop();
      this.#openQuestions -= 1;
      if (this.#openQuestions === 0) {
        this.#stopLooking();
        this.#stopLooking = undefined;
      }
    }
  }

  #startLooking(): () => void {
    const look = async (): Promise<void> => {
      if (await this.#rights.isAllowed(this.#request).catch(() => false)) return;
      if (this.#openQuestions > 0) this.#end();
    };
    const stopRights = this.#rights.onChange(() => void look());
    const timer = setInterval(() => void look(), lookMs);
    timer.unref();
    return () => {
      stopRights();
      clearInterval(timer);
    };
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const [listener, stop] of [...(this.#listeners ?? [])]) {
      stop();
      listener();
    }
  }
}

function over(): Answer {
  return { kind: 'refused', error: JsonText.from({ code: -32603, message: 'The call has ended.' }) };
}
