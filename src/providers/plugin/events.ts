import { randomUUID } from 'node:crypto';
import { atMost } from '../../lib/at-most.js';
import type { Log } from '../../ports/log.js';
import type { PluginEvent } from '../../ports/plugins.js';
import { type EventMessage, eventService } from '../../plugin-protocol/index.js';
import { createEventQueues, longestQueue, type QueuedEvent } from './event-queues.js';
import { matchesAny } from './event-types.js';
import { isFault, type PluginProvider } from './provider.js';

export interface EventBus {
  publish(event: PluginEvent): void;
  onEvent(listener: (event: PluginEvent) => void): () => void;
  /** Waits a moment for queued events, because the end of a run is often published right before the gateway closes. */
  close(): Promise<void>;
}

/** The maximum depth of events that are emitted in response to events. */
const deepest = 3;
const patienceMs = 30_000;
/** Together with the shutdown time of plugins, this stays below the five seconds in which a gateway must be gone. */
const lastMs = 1_000;

/** Delivers events to subscribed plugins, in order per plugin, and publishes the events they emit in response. */
export function openEventBus(plugins: () => readonly PluginProvider[], log: Log): EventBus {
  const listeners = new Set<(event: PluginEvent) => void>();
  const life = new AbortController();
  const queues = createEventQueues(deliver, life.signal, log);
  let isClosing = false;

  function spread(event: PluginEvent, depth: number): void {
    if (life.signal.aborted) return;
    for (const plugin of plugins()) if (isSubscribed(plugin, event)) queues.push(plugin, { event, depth });
  }

  async function deliver(plugin: PluginProvider, { event, depth }: QueuedEvent): Promise<void> {
    const running = await plugin.use(life.signal);
    if (isFault(running)) throw new Error(running.message);
    const { emitted_events: answers } = await running.channel.call(
      eventService.handleEvent,
      messageOf(event, depth),
      { ms: patienceMs, signal: life.signal },
    );
    for (const answer of answers.slice(0, longestQueue)) emit(plugin, answer, depth + 1);
  }

  /** Overwrites the source with the plugin's name, and allows only event types from its manifest. */
  function emit({ options }: PluginProvider, answer: EventMessage, depth: number): void {
    const { name, events } = options;
    if (!matchesAny(events.emit, answer.type))
      return log('warn', 'EXECUTION.PLUGIN.BROKER_EMIT_DENIED: the manifest does not list this event type', {
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
      log('warn', 'EXECUTION.EVENT.CYCLE_DETECTED: an event was not passed on because of a possible cycle', {
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
      await atMost(lastMs, queues.emptied());
      life.abort();
      listeners.clear();
    },
  };
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
