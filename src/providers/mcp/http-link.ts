import { notificationText } from '../../kernel/index.js';
import { createAnswers } from './http-answers.js';
import { createHttpClient } from './http-client.js';
import { createHttpSession } from './http-session.js';
import { openUnaskedStream, type UnaskedStream } from './http-unasked.js';
import { type About, type Link, type LinkEvents, maxMessageBytes } from './link.js';
import type { Clock, Log } from './options.js';

export interface HttpLinkParts {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: LinkEvents;
  readonly clock: Clock;
  readonly log: Log;
}

const messageMs = 30_000;
const farewellMs = 2000;

interface Message {
  readonly text: string;
  readonly id: number | undefined;
  readonly about: About | undefined;
}

/** Speaks to an endpoint: each message is a request of its own, each answer a body or a stream. */
export function openHttpLink(parts: HttpLinkParts): Link {
  const { events, clock, log } = parts;
  const client = createHttpClient(parts.url);
  const session = createHttpSession(parts.headers);
  const answers = createAnswers({ client, session, events, clock });
  let unsentLength = 0;
  /** Messages that wait until the server knows that the handshake is over. */
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
        if (message.id !== undefined) return answers.receive(message.id, response);
        response.resume();
        then(undefined);
      },
      error(detail, wasReached) {
        sent();
        // A server that went away has forgotten the session, whatever it answers later.
        if (session.id !== undefined) isSuspect = true;
        if (message.id !== undefined)
          answers.fail(message.id, { kind: wasReached ? 'lost' : 'refused', detail });
        then(detail);
      },
    });
    return () => {
      sent();
      drop();
    };
  }

  function postRequest(message: Message, id: number): void {
    // In a session that the server must have lost, nothing may be asked before it is opened again.
    if (isSuspect && message.about?.method !== 'initialize') {
      answers.expect(id, session.id, () => undefined);
      return answers.fail(id, { kind: 'stale' });
    }
    const sessionId = session.id;
    const drop = post(message, () => undefined);
    answers.expect(id, sessionId, drop);
  }

  function postMessage(message: Message): void {
    const isHandshake = message.about?.method === 'notifications/initialized';
    if (isHandshake) held = [];
    const drop = post(message, (problem) => {
      stop();
      if (problem !== undefined) log('debug', 'a message to the server was not taken', { problem });
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

  /** Some servers refuse requests that overtake the end of the handshake. */
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
    send(text, id, about) {
      if (!isOpen || unsentLength + text.length > maxMessageBytes) return false;
      const message = { text, id, about };
      if (held === undefined) dispatch(message);
      else held.push(message);
      return true;
    },
    cancel(id, reason) {
      const waited = held?.length ?? 0;
      held = held?.filter((message) => message.id !== id);
      if ((held?.length ?? 0) < waited) return;
      answers.drop(id);
      // In the modern era the closed stream says it all.
      if (session.era !== 'legacy') return;
      const params = JSON.stringify({ requestId: id, reason });
      const about = { method: 'notifications/cancelled' };
      postMessage({ text: notificationText(about.method, params), id: undefined, about });
    },
    abandon: (id) => answers.drop(id),
    agree: (era, version) => session.agree(era, version),
    forget() {
      isSuspect = false;
      unasked?.close();
      session.forget();
    },
    async close() {
      isOpen = false;
      unasked?.close();
      answers.dropAll();
      if (session.era === 'legacy' && session.id !== undefined) await farewell();
      client.close();
    },
  };

  /** Tells the server that the session is over; it may not care. */
  function farewell(): Promise<void> {
    return new Promise((resolve) => {
      const headers = session.headersFor(undefined);
      const drop = client.send(
        { method: 'DELETE', headers, isRepeatable: true },
        {
          response(response) {
            response.resume();
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
