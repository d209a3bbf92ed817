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
  protected override readonly base: Exchange;
  readonly #request: Request;
  readonly #rights: Rights;
  #isOver = false;
  /** Listeners for the end of the call. An object each, because the same function may be added twice. */
  #listeners: Set<Listener> | undefined;
  /** Set while there are listeners: the caller's exchange may live much longer than this call. */
  #stopBase: (() => void) | undefined;
  #controller: AbortController | undefined;
  #openQuestions = 0;
  #stopLooking: (() => void) | undefined;

  constructor(exchange: Exchange, request: Request, rights: Rights) {
    super();
    this.base = exchange;
    this.#request = request;
    this.#rights = rights;
  }

  override get isCancelled(): boolean {
    return this.#isOver || this.base.isCancelled;
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
    if (this.isCancelled) {
      listener();
      return nothing;
    }
    const listeners = (this.#listeners ??= new Set());
    const one: Listener = { listener };
    listeners.add(one);
    this.#stopBase ??= this.base.onCancel(() => this.#tell());
    return () => {
      if (!listeners.delete(one) || listeners.size > 0) return;
      this.#stopBase?.();
      this.#stopBase = undefined;
    };
  }

  /** The call is over: stops listening to the caller, whose exchange may live much longer. */
  release(): void {
    this.#listeners?.clear();
    this.#stopBase?.();
    this.#stopBase = undefined;
  }

  override async ask(question: Question): Promise<Answer> {
    this.#openQuestions += 1;
    this.#stopLooking ??= this.#startLooking();
    let stop = (): void => undefined;
    const ended = new Promise<Answer>((resolve) => {
      stop = this.onCancel(() => resolve(over()));
    });
    try {
      return await Promise.race([this.base.ask(question), ended]);
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
    this.#tell();
  }

  #tell(): void {
    this.#stopBase?.();
    this.#stopBase = undefined;
    const all = [...(this.#listeners ?? [])];
    this.#listeners?.clear();
    for (const { listener } of all) listener();
  }
}

interface Listener {
  readonly listener: () => void;
}

const nothing = (): void => undefined;

function over(): Answer {
  return { kind: 'refused', error: JsonText.from({ code: -32603, message: 'The call has ended.' }) };
}
