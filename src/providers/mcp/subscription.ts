import type { Log } from '../../ports/log.js';
import { type RawId, requestText } from '../../lib/json-rpc.js';
import type { Clock } from './options.js';
import type { Rpc } from './rpc.js';

export interface SubscriptionParts {
  readonly rpc: Rpc;
  readonly clock: Clock;
  readonly log: Log;
  readonly envelope: string;
  readonly lists: { readonly tools: boolean; readonly prompts: boolean; readonly resources: boolean };
}

/** The single `subscriptions/listen` stream of a modern server: always list changes, plus requested resources. */
export interface Subscription {
  watchOnly(uris: readonly string[]): Promise<void>;
  acknowledged(id: number): void;
  /** The server ended a stream. */
  ended(id: RawId): void;
  close(): void;
}

const firstRetryMs = 1000;
const lastRetryMs = 30_000;
const acknowledgeMs = 5000;
/** A list that is longer is sent less often. */
const shortLength = 64 * 1024;
const charsPerMs = 20_000;

export function openSubscription(parts: SubscriptionParts): Subscription {
  const { rpc, clock } = parts;
  let uris: readonly string[] = [];
  let current: number | undefined;
  let older: number | undefined;
  let failures = 0;
  let stopRetry: (() => void) | undefined;
  let isClosed = false;
  /** Who waits for the stream that is being opened, and who for the next one. */
  let waiting: (() => void)[] = [];
  let later: (() => void)[] = [];
  let isOpening = false;
  let stopOpening: (() => void) | undefined;

  /** Opens a stream for the current subscriptions. The old one is closed after the acknowledgement, so nothing is missed. */
  function open(): void {
    stopRetry?.();
    stopRetry = undefined;
    if (older !== undefined) rpc.cancel(older, 'replaced');
    older = current;
    current = undefined;
    const notifications = filterOf(parts.lists, uris);
    if (notifications === undefined) return dropOlder();
    const id = rpc.nextId();
    current = id;
    const params = `{"_meta":${parts.envelope},"notifications":${notifications}}`;
    const method = 'subscriptions/listen';
    rpc.stream(id, requestText(id, method, params), { method }, (reply) => over(id, reply.kind));
  }

  function dropOlder(): void {
    const id = older;
    older = undefined;
    if (id !== undefined) rpc.cancel(id, 'replaced');
    for (const wake of waiting) wake();
    waiting = [];
    opened();
  }

  /** The whole list goes out with each stream, so those who ask meanwhile share the next one. */
  function openSoon(): void {
    if (isOpening) return;
    isOpening = true;
    [waiting, later] = [[...waiting, ...later], []];
    stopOpening = clock.after(acknowledgeMs, opened, true);
    open();
  }

  function opened(): void {
    if (!isOpening) return;
    stopOpening?.();
    const length = uris.reduce((sum, uri) => sum + uri.length, 0);
    const next = (): void => {
      isOpening = false;
      if (later.length > 0 && !isClosed) openSoon();
    };
    if (length < shortLength) return next();
    stopOpening = clock.after(length / charsPerMs, next, true);
  }

  /** `dropOlder` opens a stream if somebody waits for the next one. */
  const isReopened = (): boolean => current !== undefined;

  function over(id: number, how: string): void {
    if (id === older) older = undefined;
    if (id !== current) return;
    current = undefined;
    dropOlder();
    // An error means that the server does not support subscriptions, so do not retry.
    if (isClosed || how === 'error' || isReopened()) return;
    const delay = Math.min(firstRetryMs * 2 ** failures, lastRetryMs);
    failures += 1;
    parts.log('debug', 'the subscription stream ended and will be reopened', { delay });
    stopRetry = clock.after(delay, open, true);
  }

  open();
  return {
    async watchOnly(next) {
      if (isClosed || sameAddresses(uris, next)) return;
      uris = [...next];
      await new Promise<void>((resolve) => {
        const stop = clock.after(acknowledgeMs, resolve, true);
        later.push(() => {
          stop();
          resolve();
        });
        openSoon();
      });
    },
    acknowledged(id) {
      if (id !== current) return;
      failures = 0;
      dropOlder();
    },
    ended(id) {
      const known = Number(id);
      if (known === current || known === older) rpc.drop(known);
    },
    close() {
      isClosed = true;
      stopRetry?.();
      stopOpening?.();
      for (const id of [older, current]) if (id !== undefined) rpc.cancel(id, 'closing');
    },
  };
}

/** What the stream reports. Undefined if there is nothing to report. */
function filterOf(lists: SubscriptionParts['lists'], uris: readonly string[]): string | undefined {
  const wanted = {
    ...(lists.tools && { toolsListChanged: true }),
    ...(lists.prompts && { promptsListChanged: true }),
    ...(lists.resources && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  };
  return Object.keys(wanted).length === 0 ? undefined : JSON.stringify(wanted);
}

function sameAddresses(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  const known = new Set(b);
  return a.every((uri) => known.has(uri));
}
