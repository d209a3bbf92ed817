import type { Gateway, ListKind } from '../gateway/index.js';
import type { Cancellation } from '../lib/cancellation.js';
import type { JsonText } from '../lib/json-text.js';
import { notificationText, type RawId, resultText } from '../lib/json-rpc.js';
import type { Session } from '../core/index.js';
import { changeMethods, failed } from './answers.js';
import { metaKeys, taggedParams } from './stateless/codec.js';
import type { ReplyLine } from './framing/reply-line.js';

export interface ListenParts {
  readonly gateway: Gateway;
  readonly session: Session;
  readonly id: RawId;
  readonly params: JsonText | undefined;
  readonly line: ReplyLine;
  /** The client may cancel its request, or leave. */
  readonly caller: Cancellation;
}

/** One `subscriptions/listen`: open until the client leaves or the gateway closes it. */
export interface Listen {
  readonly over: Promise<void>;
  close(): void;
}

/** Changes during setup wait until the client has the acknowledgement. */
const maxHeld = 1000;
const maxWatched = 1000;

export function openListen(parts: ListenParts): Listen {
  const { gateway, session, id, line, caller } = parts;
  const filter = readFilter(parts.params);
  const stops: (() => void)[] = [];
  const held: string[] = [];
  let state: 'opening' | 'open' | 'over' = 'opening';
  let isOver: () => void = () => {};
  let stopCaller: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });

  function finish(lastWord: () => void): void {
    if (state === 'over') return;
    state = 'over';
    stopCaller();
    for (const stop of stops) stop();
    lastWord();
    isOver();
  }

  const leave = (): void => finish(() => line.drop());

  /** A watch that opens after the end must be closed too. */
  function keep(stop: () => void): void {
    if (state === 'over') stop();
    else stops.push(stop);
  }

  function send(text: string): void {
    if (state === 'open') line.tell(text);
    else if (state === 'opening' && held.length < maxHeld) held.push(text);
  }

  async function watchOne(uri: string): Promise<readonly string[]> {
    if (caller.isCancelled) return [];
    const stop = await gateway.registry.watch(session, uri, (params) =>
      send(notificationText('notifications/resources/updated', taggedParams(params.text, id))),
    );
    if (typeof stop !== 'function') return [];
    keep(stop);
    return [uri];
  }

  async function begin(): Promise<void> {
    await gateway.registry.settle(session);
    const watched = (await Promise.all(filter.resources.map(watchOne))).flat();
    keep(gateway.registry.onChange(session, (changed) => sendChanges(changed, filter, id, send)));
    if (state !== 'opening') return;
    line.tell(
      notificationText('notifications/subscriptions/acknowledged', acknowledged(filter, watched, id)),
    );
    state = 'open';
    for (const text of held) line.tell(text);
  }

  stopCaller = caller.onCancel(leave);
  begin().catch(() => finish(() => line.end(failed(id))));
  const last = resultText(id, `{"resultType":"complete","_meta":{"${metaKeys.subscriptionId}":${id}}}`);
  return { over, close: () => finish(() => line.end(last)) };
}

interface Filter {
  readonly kinds: ReadonlySet<string>;
  readonly resources: readonly string[];
}

const filterKeys = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const;

function readFilter(params: JsonText | undefined): Filter {
  const asked = (params?.value as { readonly notifications?: Readonly<Record<string, unknown>> } | undefined)
    ?.notifications;
  const kinds = Object.entries(filterKeys).filter(([, key]) => asked?.[key] === true);
  const resources = asked?.['resourceSubscriptions'];
  return {
    kinds: new Set(kinds.map(([kind]) => kind)),
    resources: Array.isArray(resources)
      ? [...new Set(resources.filter((uri) => typeof uri === 'string'))].slice(0, maxWatched)
      : [],
  };
}

function acknowledged(filter: Filter, watched: readonly string[], id: RawId): string {
  const honoured = {
    ...Object.fromEntries(
      Object.entries(filterKeys).flatMap(([kind, key]) => (filter.kinds.has(kind) ? [[key, true]] : [])),
    ),
    ...(watched.length > 0 && { resourceSubscriptions: watched }),
  };
  return `{"_meta":{"${metaKeys.subscriptionId}":${id}},"notifications":${JSON.stringify(honoured)}}`;
}

function sendChanges(
  changed: readonly ListKind[],
  filter: Filter,
  id: RawId,
  send: (text: string) => void,
): void {
  const wanted = changed.filter((kind) => filter.kinds.has(kind === 'templates' ? 'resources' : kind));
  const tag = `{"_meta":{"${metaKeys.subscriptionId}":${id}}}`;
  for (const method of changeMethods(wanted)) send(notificationText(method, tag));
}
