import { randomUUID } from 'node:crypto';
import { atMost, type Log, type PluginEvent } from '../../kernel/index.js';
import { type EventMessage, eventService } from '../../kernel/plugin-protocol/index.js';
import { matchesAny } from './event-types.js';
import { isFault, type PluginProvider } from './provider.js';

export interface EventBus {
  publish(event: PluginEvent): void;
  onEvent(listener: (event: PluginEvent) => void): () => void;
  /** Waits a moment for what is on its way: how a run ended is told last, and often right before a gate closes. */
  close(): Promise<void>;
}

interface Queued {
  readonly event: PluginEvent;
  readonly depth: number;
}

const longestQueue = 256;
/** What is told in answer to an answer, and so on, ends here. */
const deepest = 3;
const patienceMs = 30_000;
/** With what plugins are given to end, this stays below the five seconds in which nothing of a gate may be left. */
const lastMs = 1_000;

/** Carries events to the plugins that subscribed to them, each in its own order, and what they tell in answer onwards. */
export function openEventBus(plugins: () => readonly PluginProvider[], log: Log): EventBus {
  const queues = new Map<string, Queued[]>();
  const listeners = new Set<(event: PluginEvent) => void>();
  const life = new AbortController();
  const draining = new Set<Promise<void>>();
  let isClosing = false;

  function spread(event: PluginEvent, depth: number): void {
    if (life.signal.aborted) return;
    for (const plugin of plugins()) if (isSubscribed(plugin, event)) enqueue(plugin, { event, depth });
  }

  function enqueue(plugin: PluginProvider, item: Queued): void {
    const { name } = plugin.options;
    const waiting = queues.get(name);
    if (waiting !== undefined && waiting.length >= longestQueue)
      return log('warn', 'EXECUTION.EVENT.BUFFER_FULL: an event was dropped, the plugin is too slow', {
        plugin: name,
        type: item.event.type,
      });
    if (waiting !== undefined) return void waiting.push(item);
    queues.set(name, [item]);
    const work = drain(plugin).finally(() => draining.delete(work));
    draining.add(work);
  }

  async function drain(plugin: PluginProvider): Promise<void> {
    const { name } = plugin.options;
    const queue = queues.get(name) ?? [];
    for (let item = queue[0]; item !== undefined && !life.signal.aborted; item = queue[0]) {
      await deliver(plugin, item).catch((error: unknown) =>
        log('warn', 'EXECUTION.EVENT.DELIVERY_FAILED: an event was not delivered', {
          plugin: name,
          type: item.event.type,
          error: String(error),
        }),
      );
      queue.shift();
    }
    queues.delete(name);
  }

  async function deliver(plugin: PluginProvider, { event, depth }: Queued): Promise<void> {
    const running = await plugin.use(life.signal);
    if (isFault(running)) throw new Error(running.message);
    const { emitted_events: answers } = await running.channel.call(
      eventService.handleEvent,
      messageOf(event, depth),
      { ms: patienceMs, signal: life.signal },
    );
    for (const answer of answers.slice(0, longestQueue)) emit(plugin, answer, depth + 1);
  }

  /** Whatever a plugin writes as the source, it speaks for itself only, and only of what its manifest named. */
  function emit({ options }: PluginProvider, answer: EventMessage, depth: number): void {
    const { name, events } = options;
    if (!matchesAny(events.emit, answer.type))
      return log('warn', 'EXECUTION.PLUGIN.BROKER_EMIT_DENIED: an event that the manifest does not name', {
        plugin: name,
        type: answer.type.slice(0, 200),
      });
    const event: PluginEvent = {
      type: answer.type,
      source: `plugin:${name}`,
      payload: Buffer.from(answer.payload).toString('utf8'),
      metadata: Object.fromEntries(answer.metadata),
    };
    for (const listener of [...listeners]) listener(event);
    if (depth >= deepest)
      log('warn', 'EXECUTION.EVENT.CYCLE_DETECTED: an event went far enough and was not told on', {
        plugin: name,
        type: event.type,
      });
    else spread(event, depth);
  }

  return {
    publish(event) {
      if (!isClosing) spread(event, 0);
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      isClosing = true;
      await atMost(lastMs, emptied());
      life.abort();
      listeners.clear();
    },
  };

  /** What is told in answer may be on its way to others. */
  async function emptied(): Promise<void> {
    while (draining.size > 0) await Promise.all(draining);
  }
}

function isSubscribed(
  { options: { closed, capabilities, events } }: PluginProvider,
  event: PluginEvent,
): boolean {
  return closed === undefined && capabilities.includes('events') && matchesAny(events.subscribe, event.type);
}

function messageOf({ type, source, payload, metadata = {} }: PluginEvent, depth: number): EventMessage {
  return {
    id: randomUUID(),
    type,
    timestamp_unix_nanos: BigInt(Date.now()) * 1_000_000n,
    source,
    metadata: new Map(Object.entries(metadata)),
    payload: Buffer.from(payload),
    propagation_depth: depth,
  };
}
