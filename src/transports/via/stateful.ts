import { setTimeout as sleep } from 'node:timers/promises';
import { type Frame, notificationText, requestText } from '../../lib/json-rpc.js';
import type { Protocol, RequestFrame } from './carrier.js';
import type { Ending, GateClient } from './gate-client.js';
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
const farewellMs = 500;

export function openLegacyProtocol({ client, deliver, signal }: LegacyParts): LegacyProtocol {
  const requests = createLastingRequests();
  const sentIn = new WeakMap<RequestFrame, GateSession | undefined>();
  let session: GateSession | undefined;
  let givenId: string | undefined;
  let hello = '';
  let opening: Promise<void> | undefined;
  let opened: () => void = () => undefined;
  let greetings = 0;
  let reopening: Promise<boolean> | undefined;

  function headers(): Readonly<Record<string, string>> {
    return {
      ...(session && { 'mcp-protocol-version': session.version }),
      ...(session?.id !== undefined && { 'mcp-session-id': session.id }),
    };
  }

  function post(body: string): Promise<Ending> {
    return client.send({ method: 'POST', headers: headers(), body, signal, onMessage: deliver });
  }

  /** Keep the session's stream for messages that belong to no request open. */
  async function listen(listened: GateSession | undefined): Promise<void> {
    let pause = firstPauseMs;
    while (!signal.aborted && session === listened) {
      const onAnswer = (): void => void (pause = firstPauseMs);
      const ending = await client.send({
        method: 'GET',
        headers: headers(),
        signal,
        onMessage: deliver,
        onAnswer,
      });
      const status = ending.kind === 'reply' ? ending.reply.status : 0;
      if (status === 405) return;
      if (status === 404 && session === listened) {
        await reopen();
        return;
      }
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
      pause = Math.min(pause * 2, longestPauseMs);
    }
  }

  /**
   * The gateway lost the session (it was restarted): initialize again, and restore log level and
   * subscriptions.
   */
  function reopen(): Promise<boolean> {
    reopening ??= greetAgain().finally(() => {
      reopening = undefined;
    });
    return reopening;
  }

  async function greetAgain(): Promise<boolean> {
    let id: string | undefined;
    const greeting = { method: 'POST', headers: {}, body: hello, signal } as const;
    const result = await resultOf(client, { ...greeting, onAnswer: (reply) => void (id = reply.sessionId) });
    if (result === undefined) return false;
    session = { id, version: versionOf(result.value) };
    await post(notificationText('notifications/initialized'));
    for (const options of requests.texts())
      await resultOf(client, { ...greeting, headers: headers(), body: options });
    for (const kind of ['tools', 'prompts', 'resources']) {
      deliver(notificationText(`notifications/${kind}/list_changed`));
    }
    void listen(session);
    return true;
  }

  return {
    begun(frame) {
      if (frame.method !== 'initialize') return;
      greetings += 1;
      if (greetings === 1) opening = new Promise((resolve) => (opened = resolve));
    },
    async headersOf(frame) {
      if (frame.method !== 'initialize') await opening;
      sentIn.set(frame, session);
      return headers();
    },
    answered(frame, reply) {
      if (frame.method === 'initialize') givenId = reply.sessionId;
    },
    learned(frame, result) {
      requests.granted(frame);
      if (frame.method !== 'initialize') return;
      hello = requestText(frame.id, frame.method, frame.params?.text);
      session = { id: givenId, version: versionOf(result.value) };
    },
    finished(frame) {
      if (frame.method !== 'initialize') return;
      greetings -= 1;
      if (greetings === 0) opened();
    },
    async mends(frame, reply) {
      if (reply.status !== 404 || session === undefined || frame.method === 'initialize') return false;
      return sentIn.get(frame) === session ? reopen() : true;
    },
    cancel(text, wasSent) {
      void wasSent.then(() => post(text));
    },
    tell(frame, text) {
      void (opening ?? Promise.resolve())
        .then(() => post(text))
        .then((ending) => {
          const isReady = frame.kind === 'notification' && frame.method === 'notifications/initialized';
          if (isReady && ending.kind === 'reply' && ending.reply.status < 300) void listen(session);
        });
    },
    async close() {
      if (session?.id === undefined) return;
      const farewell = AbortSignal.timeout(farewellMs);
      await client.send({ method: 'DELETE', headers: headers(), signal: farewell });
      session = undefined;
    },
  };
}

function versionOf(result: unknown): string {
  const isTold = typeof result === 'object' && result !== null && 'protocolVersion' in result;
  return isTold ? String(result.protocolVersion) : '';
}
