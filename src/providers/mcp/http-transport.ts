import type { Log } from '../../ports/log.js';
import { notificationText } from '../../lib/json-rpc.js';
import { discard } from './discard.js';
import { createAnswers } from './http-answers.js';
import { callSockets, createHttpClient } from './http-client.js';
import { withLogin } from './http-login.js';
import { createHttpSession } from './http-session.js';
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
const farewellMs = 2000;
/** How long a cancellation waits for the first response to its request, and how long the request does. */
const firstWordMs = 50;
const lastWordMs = 1000;

interface Message {
  readonly text: string;
  readonly id: number | undefined;
  readonly about: About | undefined;
}

/** Opens an HTTP endpoint: each message is a separate request, each response a body or a stream. */
export function openHttpTransport(parts: HttpTransportParts): Transport {
  const { events, clock, log } = parts;
  const bare = createHttpClient(parts.url);
  const client = parts.login === undefined ? bare : withLogin(bare, parts.login);
  const session = createHttpSession(parts.headers);
  const answers = createAnswers({ client, session, events, clock });
  /** Requests without any response yet, and what to do when it arrives. */
  const unheard = new Map<number, () => void>();
  let unsentLength = 0;
  /** Messages that wait until the server has received the end of the handshake. */
  let held: Message[] | undefined;
  let isSuspect = false;
  let unasked: UnaskedStream | undefined;
  let isOpen = true;

  function post(message: Message, then: (problem: string | undefined) => void): () => void {
    const { text, about } = message;
    unsentLength += text.length;
    let isUnsent = true;
    const sent = (): void => {
      if (isUnsent) unsentLength -= text.length;
      isUnsent = false;
    };
    const order = {
      method: 'POST',
      headers: session.headersFor(about),
      body: text,
      isRepeatable: about?.method !== 'tools/call',
    } as const;
    const drop = client.send(order, {
      response(response) {
        sent();
        if (about?.method === 'initialize') session.begin(response.headers);
        if (message.id !== undefined) {
          answers.receive(message.id, response);
          return heard(message.id);
        }
        discard(response);
        then(undefined);
      },
      error(detail, wasReached) {
        sent();
        // A server that was unreachable has probably lost the session.
        if (session.id !== undefined) isSuspect = true;
        if (message.id !== undefined)
          answers.fail(message.id, { kind: wasReached ? 'lost' : 'refused', detail });
        if (message.id !== undefined) heard(message.id);
        then(detail);
      },
      login() {
        sent();
        if (message.id !== undefined) answers.fail(message.id, { kind: 'login' });
        if (message.id !== undefined) heard(message.id);
        then('it requires a login');
      },
    });
    return () => {
      sent();
      drop();
    };
  }

  function postRequest(message: Message, id: number): void {
    // The session may be lost, so open it again before sending anything else.
    if (isSuspect && message.about?.method !== 'initialize') {
      answers.expect(id, session.id, () => undefined);
      return answers.fail(id, { kind: 'stale' });
    }
    const sessionId = session.id;
    unheard.set(id, () => undefined);
    const drop = post(message, () => undefined);
    answers.expect(id, sessionId, drop);
  }

  function heard(id: number): void {
    const waiting = unheard.get(id);
    unheard.delete(id);
    waiting?.();
  }

  function drop(id: number): void {
    unheard.delete(id);
    answers.drop(id);
  }

  function sayCancelled(id: number, reason: string): void {
    if (!isOpen) return;
    const about = { method: 'notifications/cancelled' };
    const text = notificationText(about.method, JSON.stringify({ requestId: id, reason }));
    postMessage({ text, id: undefined, about });
  }

  /**
   * A cancellation uses a separate connection and may overtake its request, which would then run to its end. So it waits a
   * little for the first response to the request, and is sent again if that comes later.
   */
  function cancelLegacy(id: number, reason: string): void {
    const isUnheard = unheard.has(id);
    const stopWaiting = isUnheard && clock.after(firstWordMs, () => sayCancelled(id, reason), true);
    const stopListening = isUnheard && clock.after(lastWordMs, () => drop(id), true);
    const end = (): void => {
      if (stopWaiting) stopWaiting();
      if (stopListening) stopListening();
      drop(id);
      sayCancelled(id, reason);
    };
    if (isUnheard) unheard.set(id, end);
    else end();
  }

  function postMessage(message: Message): void {
    const isHandshake = message.about?.method === 'notifications/initialized';
    if (isHandshake) held = [];
    const drop = post(message, (problem) => {
      stop();
      if (problem !== undefined) log('debug', 'the server did not accept a message', { problem });
      if (isHandshake) release();
    });
    const stop = clock.after(
      messageMs,
      () => {
        drop();
        if (isHandshake) release();
      },
      true,
    );
  }

  /** Some servers refuse requests that arrive before the end of the handshake. */
  function release(): void {
    const waiting = held ?? [];
    held = undefined;
    if (!isOpen) return;
    unasked?.close();
    unasked = openUnaskedStream({
      client,
      session,
      clock,
      log,
      frame: (frame) => events.frame(frame, undefined),
    });
    for (const message of waiting) dispatch(message);
  }

  function dispatch(message: Message): void {
    if (message.id === undefined) postMessage(message);
    else postRequest(message, message.id);
  }

  return {
    pid: undefined,
    places: callSockets,
    send(text, id, about) {
      if (!isOpen || unsentLength + text.length > maxUnsentLength) return false;
      const message = { text, id, about };
      if (held === undefined) dispatch(message);
      else held.push(message);
      return true;
    },
    cancel(id, reason) {
      const waited = held?.length ?? 0;
      held = held?.filter((message) => message.id !== id);
      if ((held?.length ?? 0) < waited) return;
      // In protocol version 2026-07-28, closing the stream is the cancellation.
      if (session.protocol === 'legacy') cancelLegacy(id, reason);
      else drop(id);
    },
    abandon: drop,
    agree: (protocol, version) => session.agree(protocol, version),
    forget() {
      isSuspect = false;
      unasked?.close();
      session.forget();
    },
    async close() {
      isOpen = false;
      unasked?.close();
      answers.dropAll();
      unheard.clear();
      if (session.protocol === 'legacy' && session.id !== undefined) await farewell();
      client.close();
    },
  };

  /** Tells the server that the session is over; failures are ignored. */
  function farewell(): Promise<void> {
    return new Promise((resolve) => {
      const headers = session.headersFor(undefined);
      const drop = client.send(
        { method: 'DELETE', headers, isRepeatable: true },
        {
          response(response) {
            discard(response);
            done();
          },
          error: () => done(),
        },
      );
      const stop = clock.after(farewellMs, () => done());
      const done = (): void => {
        stop();
        drop();
        resolve();
      };
    });
  }
}
