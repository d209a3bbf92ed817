import { cancellationOf } from '../../lib/cancellation.js';
import { errorText, type Frame, idKey, type RawId, readFrame } from '../../lib/json-rpc.js';
import type { JsonText } from '../../lib/json-text.js';
import { duplicate, tooMany } from '../answers.js';
import { protocolError } from '../faults.js';
import { createSemaphore } from '../../lib/semaphore.js';
import { maxRunning, maxWaiting } from '../identity.js';
import type { Ending, GateClient, Reply } from './gate-client.js';

export type RequestFrame = Extract<Frame, { readonly kind: 'request' }>;

/** What differs between the eras when a request is carried. */
export interface Protocol {
  /** Called at once for each request, before anything that came after it is looked at. */
  begun(frame: RequestFrame): void;
  /** The headers that go with a request, once they are known. */
  headersOf(frame: RequestFrame): Promise<Readonly<Record<string, string>>>;
  /** Called when an answer begins. */
  answered(frame: RequestFrame, reply: Reply): void;
  /** Called when nothing more comes of a request. */
  finished(frame: RequestFrame): void;
  /** Called with the result that a request got. */
  learned(frame: RequestFrame, result: JsonText): void;
  /** Whether the refused request may be sent again, after whatever it takes. */
  mends(frame: RequestFrame, reply: Reply): Promise<boolean>;
  /** Tells the gate that a request is no longer wanted, once it has been sent. */
  cancel(text: string, wasSent: Promise<void>, abort: () => void): void;
}

/** The requests on their way: each gets exactly one answer, unless it is cancelled. */
export interface Carrier {
  carry(frame: RequestFrame, text: string, protocol: Protocol): void;
  cancel(key: string, text: string): void;
  /** Resolves when no request is on its way any more, or after the time given. */
  idle(ms: number): Promise<void>;
  wasReached(): boolean;
  /** Whether the last answer was that the token is not good. */
  wasRefused(): boolean;
}

export interface CarrierParts {
  readonly client: GateClient;
  readonly deliver: (text: string) => void;
  readonly signal: AbortSignal;
  readonly address: string;
  /** Called when the token was refused and never was good: nothing will come of any request. */
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
/** What unanswered requests may hold in memory, in characters. */
const maxHeld = 64 * 1024 * 1024;

export function createCarrier(parts: CarrierParts): Carrier {
  const { client, deliver, address } = parts;
  const going = new Map<string, Going>();
  const semaphore = createSemaphore(maxRunning, maxWaiting);
  let held = 0;
  let isReached = false;
  let isRefused = false;
  let wasLetIn = false;

  async function run(frame: RequestFrame, text: string, entry: Going, wasSent: () => void): Promise<void> {
    const { signal } = entry.controller;
    if (!(await semaphore.enter(cancellationOf(signal)))) {
      if (!signal.aborted) deliver(tooMany(frame.id));
      return;
    }
    try {
      await attempt(frame, text, entry, wasSent, true);
    } finally {
      semaphore.leave();
    }
  }

  async function attempt(
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
    const ending = await client.send({
      method: 'POST',
      headers,
      body: text,
      signal,
      onSent: wasSent,
      onAnswer(reply) {
        isReached = true;
        isRefused = reply.status === unauthorized;
        wasLetIn ||= reply.status < 300;
        protocol.answered(frame, reply);
      },
      onMessage: (message) => pass(message, frame, entry),
    });
    if (isFirst && ending.kind === 'reply' && (await protocol.mends(frame, ending.reply))) {
      return attempt(frame, text, entry, wasSent, false);
    }
    finish(frame, entry, ending);
    if (isRefused && !wasLetIn) parts.onRefused();
  }

  function pass(message: string, frame: RequestFrame, entry: Going): void {
    const read = readFrame(message);
    if ((read.kind === 'result' || read.kind === 'error') && isSame(read.id, frame.id)) {
      entry.isAnswered = true;
      if (read.kind === 'result') entry.protocol.learned(frame, read.result);
    }
    if (!entry.isCancelled) deliver(message);
  }

  function finish(frame: RequestFrame, entry: Going, ending: Ending): void {
    if (entry.isAnswered || entry.isCancelled || ending.kind === 'aborted') return;
    if (ending.kind !== 'reply') return deliver(failure(frame.id, ending, address));
    const read = readFrame(ending.reply.body);
    if ((read.kind === 'result' || read.kind === 'error') && isSame(read.id, frame.id)) {
      if (read.kind === 'result') entry.protocol.learned(frame, read.result);
      deliver(ending.reply.body);
    } else if (read.kind === 'error') deliver(errorText(frame.id, read.error.text));
    else deliver(refusal(frame.id, ending.reply.status));
  }

  return {
    carry(frame, text, protocol) {
      const key = idKey(frame.id);
      if (going.has(key)) return deliver(duplicate(frame.id));
      if (held + text.length > maxHeld) return deliver(tooMany(frame.id));
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
      parts.signal.addEventListener('abort', abort, { once: true });
      going.set(key, entry);
      protocol.begun(frame);
      held += text.length;
      void run(frame, text, entry, wasSent).finally(() => {
        parts.signal.removeEventListener('abort', abort);
        protocol.finished(frame);
        going.delete(key);
        held -= text.length;
        wasSent();
      });
    },
    cancel(key, text) {
      const entry = going.get(key);
      if (entry === undefined || entry.isCancelled) return;
      entry.isCancelled = true;
      if (entry.isStarted) entry.protocol.cancel(text, entry.sent, () => entry.controller.abort());
      else entry.controller.abort();
    },
    async idle(ms) {
      const until = performance.now() + ms;
      while (going.size > 0 && performance.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 5));
    },
    wasReached: () => isReached,
    wasRefused: () => isRefused,
  };
}

function isSame(id: RawId | undefined, other: RawId): boolean {
  return id !== undefined && idKey(id) === idKey(other);
}

function failure(id: RawId, ending: Extract<Ending, { readonly reason: string }>, address: string): string {
  return ending.kind === 'unreached'
    ? protocolError(
        id,
        -32603,
        `No gate answers at ${address} (${ending.reason}): start it with tidegate serve`,
        {
          code: 'provider.unavailable',
        },
      )
    : protocolError(
        id,
        -32603,
        `The connection to the gate broke (${ending.reason}): the call may or may not have taken effect`,
        { code: 'provider.lost' },
      );
}

function refusal(id: RawId, status: number): string {
  if (status === unauthorized) {
    return protocolError(
      id,
      -32603,
      'The gate refused the token: give one that is good with TIDEGATE_TOKEN or --token; whoever runs the gate makes one with tidegate token create',
      { code: 'auth.required' },
    );
  }
  return protocolError(id, -32603, `The gate answered with HTTP ${String(status)} and no result`);
}
