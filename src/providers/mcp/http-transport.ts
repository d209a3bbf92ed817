import type { Protocol } from '../../core/index.js';
import type { Log } from '../../ports/log.js';
import { notificationText } from '../../lib/json-rpc.js';
import { discard } from './discard.js';
import { type Answers, createAnswers } from './http-answers.js';
import { callSockets, createHttpClient, type HttpClient } from './http-client.js';
import { withLogin } from './http-login.js';
import { createHttpSession, type HttpSession } from './http-session.js';
import { openUnaskedStream, type UnaskedStream } from './http-unasked.js';
import { type About, type Transport, type TransportEvents, maxMessageBytes } from './transport.js';
import type { UpstreamLogin } from './login/upstream-login.js';
import type { Clock } from './options.js';

export interface HttpTransportParts {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** If absent, only the configured headers are used. */
  readonly login?: UpstreamLogin;
  readonly events: TransportEvents;
  readonly clock: Clock;
  readonly log: Log;
}

/** Calls take turns for `places` of 256 KiB; this leaves room for what the gateway itself sends. */
const maxUnsentLength = 3 * maxMessageBytes;
const messageMs = 30_000;
const endSessionMs = 2000;
/** How long a cancellation waits for the first response to its request, and how long until the request is dropped. */
const firstResponseMs = 50;
const dropAfterMs = 1000;

interface Message {
  readonly text: string;
  readonly id: number | undefined;
  readonly about: About | undefined;
}

/** Opens an HTTP endpoint: each message is a separate request, each response a body or a stream. */
export function openHttpTransport(parts: HttpTransportParts): Transport {
  return new HttpTransport(parts);
}

class HttpTransport implements Transport {
  readonly pid = undefined;
  readonly places = callSockets;
  readonly #parts: HttpTransportParts;
  readonly #client: HttpClient;
  readonly #session: HttpSession;
  readonly #answers: Answers;
  /** Requests without any response yet, and what to do when it arrives. */
  readonly #unanswered = new Map<number, () => void>();
  #unsentLength = 0;
  /** Messages that wait until the server has received the end of the handshake. */
  #held: Message[] | undefined;
  #isSuspect = false;
  #unasked: UnaskedStream | undefined;
  #isOpen = true;

  constructor(parts: HttpTransportParts) {
    this.#parts = parts;
    const bare = createHttpClient(parts.url);
    this.#client = parts.login === undefined ? bare : withLogin(bare, parts.login);
    this.#session = createHttpSession(parts.headers);
    this.#answers = createAnswers({
      client: this.#client,
      session: this.#session,
      events: parts.events,
      clock: parts.clock,
    });
  }

  send(text: string, id?: number, about?: About): boolean {
    if (!this.#isOpen || this.#unsentLength + text.length > maxUnsentLength) return false;
    const message = { text, id, about };
    if (this.#held === undefined) this.#dispatch(message);
    else this.#held.push(message);
    return true;
  }

  cancel(id: number, reason: string): void {
    const waited = this.#held?.length ?? 0;
    this.#held = this.#held?.filter((message) => message.id !== id);
    if ((this.#held?.length ?? 0) < waited) return;
    // In protocol version 2026-07-28, closing the stream is the cancellation.
    if (this.#session.protocol === 'legacy') this.#cancelLegacy(id, reason);
    else this.#drop(id);
  }

  abandon(id: number): void {
    this.#drop(id);
  }

  agree(protocol: Protocol, version: string): void {
    this.#session.agree(protocol, version);
  }

  forget(): void {
    this.#isSuspect = false;
    this.#unasked?.close();
    this.#session.forget();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#unasked?.close();
    this.#answers.dropAll();
    this.#unanswered.clear();
    if (this.#session.protocol === 'legacy' && this.#session.id !== undefined) await this.#endSession();
    this.#client.close();
  }

  #post(message: Message, then: (problem: string | undefined) => void): () => void {
    const { text, about } = message;
    this.#unsentLength += text.length;
    let isUnsent = true;
    const sent = (): void => {
      if (isUnsent) this.#unsentLength -= text.length;
      isUnsent = false;
    };
    const order = {
      method: 'POST',
      headers: this.#session.headersFor(about),
      body: text,
      isRepeatable: about?.method !== 'tools/call',
    } as const;
    const drop = this.#client.send(order, {
      response: (response) => {
        sent();
        if (about?.method === 'initialize') this.#session.begin(response.headers);
        if (message.id !== undefined) {
          this.#answers.receive(message.id, response);
          return this.#onResponse(message.id);
        }
        discard(response);
        then(undefined);
      },
      error: (detail, wasReached) => {
        sent();
        // A server that was unreachable has probably lost the session.
        if (this.#session.id !== undefined) this.#isSuspect = true;
        if (message.id !== undefined)
          this.#answers.fail(message.id, { kind: wasReached ? 'lost' : 'refused', detail });
        if (message.id !== undefined) this.#onResponse(message.id);
        then(detail);
      },
      login: () => {
        sent();
        if (message.id !== undefined) this.#answers.fail(message.id, { kind: 'login' });
        if (message.id !== undefined) this.#onResponse(message.id);
        then('it requires a login');
      },
    });
    return () => {
      sent();
      drop();
    };
  }

  #postRequest(message: Message, id: number): void {
    // The session may be lost, so open it again before sending anything else.
    if (this.#isSuspect && message.about?.method !== 'initialize') {
      this.#answers.expect(id, this.#session.id, () => undefined);
      return this.#answers.fail(id, { kind: 'stale' });
    }
    const sessionId = this.#session.id;
    this.#unanswered.set(id, () => undefined);
    const drop = this.#post(message, () => undefined);
    this.#answers.expect(id, sessionId, drop);
  }

  #onResponse(id: number): void {
    const waiting = this.#unanswered.get(id);
    this.#unanswered.delete(id);
    waiting?.();
  }

  #drop(id: number): void {
    this.#unanswered.delete(id);
    this.#answers.drop(id);
  }

  #sendCancelled(id: number, reason: string): void {
    if (!this.#isOpen) return;
    const about = { method: 'notifications/cancelled' };
    const text = notificationText(about.method, JSON.stringify({ requestId: id, reason }));
    this.#postMessage({ text, id: undefined, about });
  }

  /**
   * A cancellation uses a separate connection and may overtake its request, which would then run to its end. So it waits a
   * little for the first response to the request, and is sent again if that comes later.
   */
  #cancelLegacy(id: number, reason: string): void {
    const isUnanswered = this.#unanswered.has(id);
    const stopWaiting =
      isUnanswered && this.#parts.clock.after(firstResponseMs, () => this.#sendCancelled(id, reason), true);
    const stopListening = isUnanswered && this.#parts.clock.after(dropAfterMs, () => this.#drop(id), true);
    const end = (): void => {
      if (stopWaiting) stopWaiting();
      if (stopListening) stopListening();
      this.#drop(id);
      this.#sendCancelled(id, reason);
    };
    if (isUnanswered) this.#unanswered.set(id, end);
    else end();
  }

  #postMessage(message: Message): void {
    const isHandshake = message.about?.method === 'notifications/initialized';
    if (isHandshake) this.#held = [];
    const drop = this.#post(message, (problem) => {
      stop();
      if (problem !== undefined) this.#parts.log('debug', 'the server did not accept a message', { problem });
      if (isHandshake) this.#release();
    });
    const stop = this.#parts.clock.after(
      messageMs,
      () => {
        drop();
        if (isHandshake) this.#release();
      },
      true,
    );
  }

  /** Some servers refuse requests that arrive before the end of the handshake. */
  #release(): void {
    const waiting = this.#held ?? [];
    this.#held = undefined;
    if (!this.#isOpen) return;
    this.#unasked?.close();
    this.#unasked = openUnaskedStream({
      client: this.#client,
      session: this.#session,
      clock: this.#parts.clock,
      log: this.#parts.log,
      frame: (frame) => this.#parts.events.frame(frame, undefined),
    });
    for (const message of waiting) this.#dispatch(message);
  }

  #dispatch(message: Message): void {
    if (message.id === undefined) this.#postMessage(message);
    else this.#postRequest(message, message.id);
  }

  /** Tells the server that the session is over; failures are ignored. */
  #endSession(): Promise<void> {
    return new Promise((resolve) => {
      const headers = this.#session.headersFor(undefined);
      const drop = this.#client.send(
        { method: 'DELETE', headers, isRepeatable: true },
        {
          response(response) {
            discard(response);
            done();
          },
          error: () => done(),
        },
      );
      const stop = this.#parts.clock.after(endSessionMs, () => done());
      const done = (): void => {
        stop();
        drop();
        resolve();
      };
    });
  }
}
