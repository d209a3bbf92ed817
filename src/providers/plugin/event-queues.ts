import type { Log } from '../../ports/log.js';
import type { PluginEvent } from '../../ports/plugins.js';
import type { PluginProvider } from './provider.js';

export interface QueuedEvent {
  readonly event: PluginEvent;
  /** How many events led to this one. */
  readonly depth: number;
}

/** One queue per plugin, so that events arrive in order and a slow plugin delays no other. */
export interface EventQueues {
  push(plugin: PluginProvider, item: QueuedEvent): void;
  /** Resolves when all queues are empty, including events that were emitted in response. */
  emptied(): Promise<void>;
}

export const longestQueue = 256;

export function createEventQueues(
  deliver: (plugin: PluginProvider, item: QueuedEvent) => Promise<void>,
  signal: AbortSignal,
  log: Log,
): EventQueues {
  const queues = new Map<string, QueuedEvent[]>();
  const draining = new Set<Promise<void>>();

  async function drain(plugin: PluginProvider): Promise<void> {
    const { name } = plugin.options;
    const queue = queues.get(name) ?? [];
    for (let item = queue[0]; item !== undefined && !signal.aborted; item = queue[0]) {
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

  return {
    push(plugin, item) {
      const { name } = plugin.options;
      const waiting = queues.get(name);
      if (waiting !== undefined && waiting.length >= longestQueue)
        return log(
          'warn',
          'EXECUTION.EVENT.BUFFER_FULL: an event was dropped because the plugin is too slow',
          {
            plugin: name,
            type: item.event.type,
          },
        );
      if (waiting !== undefined) return void waiting.push(item);
      queues.set(name, [item]);
      const work = drain(plugin).finally(() => draining.delete(work));
      draining.add(work);
    },
    async emptied() {
      while (draining.size > 0) await Promise.all(draining);
    },
  };
}
