import { setTimeout as sleep } from 'node:timers/promises';
import { type Frame, notificationText, requestText } from '../../lib/json-rpc.js';
import type { JsonText } from '../../lib/json-text.js';
import type { Protocol, RequestFrame } from './carrier.js';
import type { Ending, GateClient, Reply } from './gate-client.js';
import { createLastingRequests } from './lasting-requests.js';
import { resultOf } from './result-of.js';

export interface LegacyParts {
  readonly client: GateClient;
  readonly deliver: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Stateful clients have a session: opened by `initialize`, named in a header, with its own stream. */
export interface LegacyProtocol extends Protocol {
  /** Send a message that needs no answer: notifications, and answers to the gateway's questions. */
  tell(frame: Frame, text: string): void;
  close(): Promise<void>;
}

interface GateSession {
  readonly id: string | undefined;
  readonly version: string;
}

const firstPauseMs = 250;
const longestPauseMs = 10_000;
const closeMs = 500;

export function openLegacyProtocol(parts: LegacyParts): LegacyProtocol {
  return new LegacyRelay(parts);
}

class LegacyRelay implements LegacyProtocol {
  readonly #parts: LegacyParts;
  readonly #requests = createLastingRequests();
  readonly #sentIn = new WeakMap<RequestFrame, GateSession | undefined>();
  #session: GateSession | undefined;
  #givenId: string | undefined;
  #initializeText = '';
  #opening: Promise<void> | undefined;
  #opened: () => void = () => undefined;
  #initializing = 0;
  #reopening: Promise<boolean> | undefined;

  constructor(parts: LegacyParts) {
    this.#parts = parts;
  }

  begun(frame: RequestFrame): void {
    if (frame.method !== 'initialize') return;
    this.#initializing += 1;
    if (this.#initializing === 1) this.#opening = new Promise((resolve) => (this.#opened = resolve));
  }

  async headersOf(frame: RequestFrame): Promise<Readonly<Record<string, string>>> {
    if (frame.method !== 'initialize') await this.#opening;
    this.#sentIn.set(frame, this.#session);
    return this.#headers();
  }

  answered(frame: RequestFrame, reply: Reply): void {
    if (frame.method === 'initialize') this.#givenId = reply.sessionId;
  }

  learned(frame: RequestFrame, result: JsonText): void {
    this.#requests.granted(frame);
    if (frame.method !== 'initialize') return;
    this.#initializeText = requestText(frame.id, frame.method, frame.params?.text);
    this.#session = { id: this.#givenId, version: versionOf(result.value) };
  }

  finished(frame: RequestFrame): void {
    if (frame.method !== 'initialize') return;
    this.#initializing -= 1;
    if (this.#initializing === 0) this.#opened();
  }

  async prepareRetry(frame: RequestFrame, reply: Reply): Promise<boolean> {
    if (reply.status !== 404 || this.#session === undefined || frame.method === 'initialize') return false;
    return this.#sentIn.get(frame) === this.#session ? this.#reopen() : true;
  }

  cancel(text: string, wasSent: Promise<void>): void {
    void wasSent.then(() => this.#post(text));
  }

  tell(frame: Frame, text: string): void {
    void (this.#opening ?? Promise.resolve())
      .then(() => this.#post(text))
      .then((ending) => {
        const isReady = frame.kind === 'notification' && frame.method === 'notifications/initialized';
        if (isReady && ending.kind === 'reply' && ending.reply.status < 300) void this.#listen(this.#session);
      });
  }

  async close(): Promise<void> {
    if (this.#session?.id === undefined) return;
    const timeout = AbortSignal.timeout(closeMs);
    await this.#parts.client.send({ method: 'DELETE', headers: this.#headers(), signal: timeout });
    this.#session = undefined;
  }

  #headers(): Readonly<Record<string, string>> {
    return {
      ...(this.#session && { 'mcp-protocol-version': this.#session.version }),
      ...(this.#session?.id !== undefined && { 'mcp-session-id': this.#session.id }),
    };
  }

  #post(body: string): Promise<Ending> {
    return this.#parts.client.send({
      method: 'POST',
      headers: this.#headers(),
      body,
      signal: this.#parts.signal,
      onMessage: this.#parts.deliver,
    });
  }

  /** Keep the session's stream for messages that belong to no request open. */
  async #listen(listened: GateSession | undefined): Promise<void> {
    let pause = firstPauseMs;
    while (!this.#parts.signal.aborted && this.#session === listened) {
      const onAnswer = (): void => void (pause = firstPauseMs);
      const ending = await this.#parts.client.send({
        method: 'GET',
        headers: this.#headers(),
        signal: this.#parts.signal,
        onMessage: this.#parts.deliver,
        onAnswer,
      });
      const status = ending.kind === 'reply' ? ending.reply.status : 0;
      if (status === 405) return;
      if (status === 404 && this.#session === listened) {
        await this.#reopen();
        return;
      }
      await sleep(pause, undefined, { signal: this.#parts.signal, ref: false }).catch(() => undefined);
      pause = Math.min(pause * 2, longestPauseMs);
    }
  }

  /**
   * The gateway lost the session (it was restarted): initialize again, and restore log level and
   * subscriptions.
   */
  #reopen(): Promise<boolean> {
    this.#reopening ??= this.#initializeAgain().finally(() => {
      this.#reopening = undefined;
    });
    return this.#reopening;
  }

  async #initializeAgain(): Promise<boolean> {
    let id: string | undefined;
    const initialize = {
      method: 'POST',
      headers: {},
      body: this.#initializeText,
      signal: this.#parts.signal,
    } as const;
    const result = await resultOf(this.#parts.client, {
      ...initialize,
      onAnswer: (reply) => void (id = reply.sessionId),
    });
    if (result === undefined) return false;
    this.#session = { id, version: versionOf(result.value) };
    await this.#post(notificationText('notifications/initialized'));
    for (const options of this.#requests.texts())
      await resultOf(this.#parts.client, { ...initialize, headers: this.#headers(), body: options });
    for (const kind of ['tools', 'prompts', 'resources']) {
      this.#parts.deliver(notificationText(`notifications/${kind}/list_changed`));
    }
    void this.#listen(this.#session);
    return true;
  }
}

function versionOf(result: unknown): string {
  const hasVersion = typeof result === 'object' && result !== null && 'protocolVersion' in result;
  return hasVersion ? String(result.protocolVersion) : '';
}
