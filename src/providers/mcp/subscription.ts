import { type Log, type RawId, requestText } from '../../kernel/index.js';
import type { Clock } from './options.js';
import type { Rpc } from './rpc.js';

export interface SubscriptionParts {
  readonly rpc: Rpc;
  readonly clock: Clock;
  readonly log: Log;
  readonly envelope: string;
  readonly lists: { readonly tools: boolean; readonly prompts: boolean; readonly resources: boolean };
}

/** The one `subscriptions/listen` of a modern server: list changes always, resources as wanted. */
export interface Subscription {
  watchOnly(uris: readonly string[]): Promise<void>;
  acknowledged(id: number): void;
  /** The server says that it ended a stream. */
  ended(id: RawId): void;
  close(): void;
}

const firstRetryMs = 1000;
const lastRetryMs = 30_000;
const acknowledgeMs = 5000;

export function openSubscription(parts: SubscriptionParts): Subscription {
  const { rpc, clock } = parts;
  let uris: readonly string[] = [];
  let current: number | undefined;
  let older: number | undefined;
  let failures = 0;
  let stopRetry: (() => void) | undefined;
  let isClosed = false;
  let waiting: (() => void)[] = [];

  function filter(): string | undefined {
    const { tools, prompts, resources } = parts.lists;
    const wanted = {
      ...(tools && { toolsListChanged: true }),
      ...(prompts && { promptsListChanged: true }),
      ...(resources && { resourcesListChanged: true }),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    };
    return Object.keys(wanted).length === 0 ? undefined : JSON.stringify(wanted);
  }

  /** Opens a stream for what is wanted now; the old one goes when the new one is acknowledged, so nothing is missed. */
  function open(): void {
    stopRetry?.();
    stopRetry = undefined;
    if (older !== undefined) rpc.cancel(older, 'replaced');
    older = current;
    current = undefined;
    const notifications = filter();
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
  }

  function over(id: number, how: string): void {
    if (id === older) older = undefined;
    if (id !== current) return;
    current = undefined;
    dropOlder();
    // A server that answers with an error does not know subscriptions: asking again would change nothing.
    if (isClosed || how === 'error') return;
    const delay = Math.min(firstRetryMs * 2 ** failures, lastRetryMs);
    failures += 1;
    parts.log('debug', 'the subscription stream ended and will be opened again', { delay });
    stopRetry = clock.after(delay, open, true);
  }

  open();
  return {
    async watchOnly(next) {
      if (isClosed || sameAddresses(uris, next)) return;
      uris = [...next];
      await new Promise<void>((resolve) => {
        const stop = clock.after(acknowledgeMs, resolve, true);
        waiting.push(() => {
          stop();
          resolve();
        });
        open();
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
      for (const id of [older, current]) if (id !== undefined) rpc.cancel(id, 'closing');
    },
  };
}

function sameAddresses(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((uri) => b.includes(uri));
}
