import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PluginEvent } from '../../ports/plugins.js';
import { openEventBus } from './events.js';
import type { PluginProvider } from './provider.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const event = (n: number): PluginEvent => ({
  type: 'workflow.started',
  source: 'workflow',
  payload: String(n),
});
const answer = { emitted_events: [] };

/** A plugin that hears everything, and answers as `hear` says. */
function plugin(name: string, hear: (payload: string) => Promise<unknown>): PluginProvider {
  const call = (_method: unknown, { payload }: { readonly payload: Uint8Array }): Promise<unknown> =>
    hear(Buffer.from(payload).toString());
  return {
    options: { name, capabilities: ['events'], events: { subscribe: ['*'], emit: [] } },
    use: () => Promise.resolve({ channel: { call } }),
  } as unknown as PluginProvider;
}

describe('the events of plugins', () => {
  it('wait in a queue of 256; further ones are dropped with a warning, and other plugins get all of them', async () => {
    const [slow, quick]: [string[], string[]] = [[], []];
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const plugins = [
      plugin('slow', async (payload) => {
        await held;
        slow.push(payload);
        return answer;
      }),
      plugin('quick', (payload) => {
        quick.push(payload);
        return Promise.resolve(answer);
      }),
    ];
    const log = vi.fn();
    const bus = openEventBus(() => plugins, log);
    for (let n = 0; n < 300; n += 1) {
      bus.publish(event(n));
      // The quick one keeps up; nothing of the slow one moves.
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(quick).toHaveLength(300);
    expect(log).toHaveBeenCalledTimes(300 - 256);
    expect(log).toHaveBeenLastCalledWith('warn', expect.stringContaining('EXECUTION.EVENT.BUFFER_FULL'), {
      plugin: 'slow',
      type: 'workflow.started',
    });
    release?.();
    await bus.close();
    // In their order, and the newest are those that are missing.
    expect(slow).toEqual(Array.from({ length: 256 }, (_, n) => String(n)));
  });

  it('that are in flight when the gateway closes still arrive', async () => {
    const heard: string[] = [];
    const late = plugin('late', async (payload) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      heard.push(payload);
      return answer;
    });
    const bus = openEventBus(() => [late], vi.fn());
    bus.publish(event(1));
    bus.publish(event(2));
    const closed = bus.close();
    bus.publish(event(3));
    await vi.advanceTimersByTimeAsync(250);
    await closed;
    expect(heard).toEqual(['1', '2']);
  });

  it('do not keep the gateway open for a plugin that never answers', async () => {
    const deaf = plugin('deaf', () => new Promise(() => undefined));
    const bus = openEventBus(() => [deaf], vi.fn());
    bus.publish(event(1));
    let isClosed = false;
    void bus.close().then(() => (isClosed = true));
    await vi.advanceTimersByTimeAsync(900);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(isClosed).toBe(true);
  });
});
