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
/** Longer lists are sent less often. */
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
  const openings = createOpenings({
    clock,
    open,
    length: () => uris.reduce((sum, uri) => sum + uri.length, 0),
  });

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
    openings.opened();
  }

  /** `dropOlder` opens a stream if a caller waits for the next one. */
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
      await openings.next();
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
      openings.close();
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

interface OpeningParts {
  readonly clock: Clock;
  readonly open: () => void;
  /** The length of what each stream is opened with. */
  readonly length: () => number;
}

/** Opens streams one at a time. Each sends the whole list, so callers that arrive meanwhile share the next one. */
function createOpenings({ clock, open, length }: OpeningParts): {
  /** Resolves when a stream requested from now on is open, or after a while. */
  next(): Promise<void>;
  opened(): void;
  close(): void;
} {
  let waiting: (() => void)[] = [];
  let later: (() => void)[] = [];
  let isOpening = false;
  let isClosed = false;
  let stop: (() => void) | undefined;

  function openSoon(): void {
    if (isOpening || isClosed) return;
    isOpening = true;
    [waiting, later] = [[...waiting, ...later], []];
    stop = clock.after(acknowledgeMs, goOn, true);
    open();
  }

  function goOn(): void {
    if (!isOpening) return;
    stop?.();
    const next = (): void => {
      isOpening = false;
      if (later.length > 0) openSoon();
    };
    if (length() < shortLength) return next();
    stop = clock.after(length() / charsPerMs, next, true);
  }

  return {
    next: () =>
      new Promise((resolve) => {
        const stopWaiting = clock.after(acknowledgeMs, resolve, true);
        later.push(() => {
          stopWaiting();
          resolve();
        });
        openSoon();
      }),
    opened() {
      for (const wake of waiting) wake();
      waiting = [];
      goOn();
    },
    close() {
      isClosed = true;
      stop?.();
    },
  };
}
