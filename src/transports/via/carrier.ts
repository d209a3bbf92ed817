import { cancellationOf } from '../../lib/cancellation.js';
import { errorText, type Frame, idKey, type RawId, readFrame } from '../../lib/json-rpc.js';
import type { JsonText } from '../../lib/json-text.js';
import { duplicate, tooMany } from '../answers.js';
import { protocolError } from '../faults.js';
import { createSemaphore } from '../../lib/semaphore.js';
import { maxRunning, maxWaiting } from '../identity.js';
import type { Ending, GateClient, Reply } from './gate-client.js';

export type RequestFrame = Extract<Frame, { readonly kind: 'request' }>;

/** What differs between protocol versions when a request is relayed. */
export interface Protocol {
  /** Called for each request at once, before any later message is handled. */
  begun(frame: RequestFrame): void;
  /** The headers for a request, once they are known. */
  headersOf(frame: RequestFrame): Promise<Readonly<Record<string, string>>>;
  /** Called when a response begins. */
  answered(frame: RequestFrame, reply: Reply): void;
  /** Called when a request is finished. */
  finished(frame: RequestFrame): void;
  /** Called with the result of a request. */
  learned(frame: RequestFrame, result: JsonText): void;
  /** Whether a refused request can be sent again, after fixing the cause. */
  prepareRetry(frame: RequestFrame, reply: Reply): Promise<boolean>;
  /** Cancel a request at the gateway, once it has been sent. */
  cancel(text: string, wasSent: Promise<void>, abort: () => void): void;
}

/** The requests in transit: each gets exactly one answer, unless it is cancelled. */
export interface Carrier {
  carry(frame: RequestFrame, text: string, protocol: Protocol): void;
  cancel(key: string, text: string): void;
  /** Resolves when no request is in transit, or after the given time. */
  idle(ms: number): Promise<void>;
  wasReached(): boolean;
  /** Whether the last response refused the token. */
  wasRefused(): boolean;
}

export interface CarrierParts {
  readonly client: GateClient;
  readonly deliver: (text: string) => void;
  readonly signal: AbortSignal;
  readonly address: string;
  /** Called when the token was refused and was never valid: no request can succeed. */
  readonly onRefused: () => void;
}

interface Going {
  readonly protocol: Protocol;
  readonly controller: AbortController;
  readonly sent: Promise<void>;
  isStarted: boolean;
  isCancelled: boolean;
  isAnswered: boolean;
}

const unauthorized = 401;
/** Memory limit for unanswered requests, in characters. */
const maxHeldChars = 64 * 1024 * 1024;

export function createCarrier(parts: CarrierParts): Carrier {
  return new RequestCarrier(parts);
}

class RequestCarrier implements Carrier {
  readonly #parts: CarrierParts;
  readonly #going = new Map<string, Going>();
  readonly #semaphore = createSemaphore(maxRunning, maxWaiting);
  #held = 0;
  #isReached = false;
  #isRefused = false;
  #wasAccepted = false;

  constructor(parts: CarrierParts) {
    this.#parts = parts;
  }

  carry(frame: RequestFrame, text: string, protocol: Protocol): void {
    const key = idKey(frame.id);
    if (this.#going.has(key)) return this.#parts.deliver(duplicate(frame.id));
    if (this.#held + text.length > maxHeldChars) return this.#parts.deliver(tooMany(frame.id));
    let wasSent: () => void = () => undefined;
    const sent = new Promise<void>((resolve) => (wasSent = resolve));
    const entry: Going = {
      protocol,
      controller: new AbortController(),
      sent,
      isStarted: false,
      isCancelled: false,
      isAnswered: false,
    };
    const abort = (): void => entry.controller.abort();
    this.#parts.signal.addEventListener('abort', abort, { once: true });
    this.#going.set(key, entry);
    protocol.begun(frame);
    this.#held += text.length;
    void this.#run(frame, text, entry, wasSent).finally(() => {
      this.#parts.signal.removeEventListener('abort', abort);
      protocol.finished(frame);
      this.#going.delete(key);
      this.#held -= text.length;
      wasSent();
    });
  }

  cancel(key: string, text: string): void {
    const entry = this.#going.get(key);
    if (entry === undefined || entry.isCancelled) return;
    entry.isCancelled = true;
    if (entry.isStarted) entry.protocol.cancel(text, entry.sent, () => entry.controller.abort());
    else entry.controller.abort();
  }

  async idle(ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (this.#going.size > 0 && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 5));
  }

  wasReached(): boolean {
    return this.#isReached;
  }

  wasRefused(): boolean {
    return this.#isRefused;
  }

  async #run(frame: RequestFrame, text: string, entry: Going, wasSent: () => void): Promise<void> {
    const { signal } = entry.controller;
    if (!(await this.#semaphore.enter(cancellationOf(signal)))) {
      if (!signal.aborted) this.#parts.deliver(tooMany(frame.id));
      return;
    }
    try {
      await this.#attempt(frame, text, entry, wasSent, true);
    } finally {
      this.#semaphore.leave();
    }
  }

  async #attempt(
    frame: RequestFrame,
    text: string,
    entry: Going,
    wasSent: () => void,
    isFirst: boolean,
  ): Promise<void> {
    const { protocol, controller } = entry;
    const { signal } = controller;
    const headers = await protocol.headersOf(frame);
    entry.isStarted = true;
    const ending = await this.#parts.client.send({
      method: 'POST',
      headers,
      body: text,
      signal,
      onSent: wasSent,
      onAnswer: (reply) => {
        this.#isReached = true;
        this.#isRefused = reply.status === unauthorized;
        this.#wasAccepted ||= reply.status < 300;
        protocol.answered(frame, reply);
      },
      onMessage: (message) => this.#pass(message, frame, entry),
    });
    if (isFirst && ending.kind === 'reply' && (await protocol.prepareRetry(frame, ending.reply))) {
      return this.#attempt(frame, text, entry, wasSent, false);
    }
    this.#finish(frame, entry, ending);
    if (this.#isRefused && !this.#wasAccepted) this.#parts.onRefused();
  }

  #pass(message: string, frame: RequestFrame, entry: Going): void {
    const read = readFrame(message);
    if ((read.kind === 'result' || read.kind === 'error') && isSame(read.id, frame.id)) {
      entry.isAnswered = true;
      if (read.kind === 'result') entry.protocol.learned(frame, read.result);
    }
    if (!entry.isCancelled) this.#parts.deliver(message);
  }

  #finish(frame: RequestFrame, entry: Going, ending: Ending): void {
    if (entry.isAnswered || entry.isCancelled || ending.kind === 'aborted') return;
    if (ending.kind !== 'reply') return this.#parts.deliver(failure(frame.id, ending, this.#parts.address));
    const read = readFrame(ending.reply.body);
    if ((read.kind === 'result' || read.kind === 'error') && isSame(read.id, frame.id)) {
      if (read.kind === 'result') entry.protocol.learned(frame, read.result);
      this.#parts.deliver(ending.reply.body);
    } else if (read.kind === 'error') this.#parts.deliver(errorText(frame.id, read.error.text));
    else this.#parts.deliver(refusal(frame.id, ending.reply.status));
  }
}

function isSame(id: RawId | undefined, other: RawId): boolean {
  return id !== undefined && idKey(id) === idKey(other);
}

function failure(id: RawId, ending: Extract<Ending, { readonly reason: string }>, address: string): string {
  return ending.kind === 'unreached'
    ? protocolError(
        id,
        -32603,
        `No gateway responds at ${address} (${ending.reason}). Start it with tidegate serve.`,
        {
          code: 'provider.unavailable',
        },
      )
    : protocolError(
        id,
        -32603,
        `The connection to the gateway was lost (${ending.reason}). The call may or may not have taken effect.`,
        { code: 'provider.lost' },
      );
}

function refusal(id: RawId, status: number): string {
  if (status === unauthorized) {
    return protocolError(
      id,
      -32603,
      'The gateway refused the token. Pass a valid one with TIDEGATE_TOKEN or --token; the operator of the gateway creates one with tidegate token create.',
      { code: 'auth.required' },
    );
  }
  return protocolError(id, -32603, `The gateway responded with HTTP ${String(status)} and no result`);
}
