import { join } from 'node:path';
import { mayHavePlugins, watchConfig } from '../config/index.js';
import type { LocatedPlugins } from '../config/plugins/index.js';
import { createNoPlugins, type Plugins } from '../kernel/index.js';
import { hasEntries } from './has-entries.js';
import type { PluginHost, PluginHostParts } from './plugin-host.js';
import { socketHome } from './socket-home.js';

const nothingLocated: LocatedPlugins = { plugins: [], shadowed: [], problems: [] };

/**
 * The host of plugins; its code is loaded with the first place that may hold any. Where there is none, a gate waits for
 * trust: nothing of a plugin runs before that, so a plugin that comes later is news only then.
 */
export async function openLatePlugins(parts: PluginHostParts): Promise<PluginHost> {
  const open = async (): Promise<PluginHost> => {
    const { openPluginHost } = await import('./plugin-host.js');
    return openPluginHost(parts);
  };
  const isThere = (): boolean => mayHavePlugins(parts.folder, parts.env);
  if (isThere()) return open();
  let host = noHost;
  let isClosed = false;
  let watch: { close(): void } | undefined;
  let opening: Promise<void> = Promise.resolve();

  async function look(onChange: () => void): Promise<void> {
    if (isClosed || host !== noHost || !isThere()) return;
    const opened = await open();
    watch?.close();
    host = opened;
    host.follow(onChange);
    onChange();
  }

  return {
    providers: () => host.providers(),
    port: portOf(() => host.port),
    located: () => host.located(),
    follow(onChange) {
      watch = watchConfig(join(parts.state.directory, 'trust.json'), () => {
        opening = opening
          .then(() => look(onChange))
          .catch((error: unknown) => parts.log('error', 'plugins not opened', { error: String(error) }));
      });
    },
    settle: () => host.settle(),
    async close() {
      isClosed = true;
      watch?.close();
      await opening;
      await host.close();
    },
  };
}

/** The port of whoever is there when it is asked. */
function portOf(port: () => Plugins): Plugins {
  return {
    list: () => port().list(),
    offer: (...asked) => port().offer(...asked),
    check: (...asked) => port().check(...asked),
    runStep: (...asked) => port().runStep(...asked),
    validate: (...asked) => port().validate(...asked),
    publish: (event) => port().publish(event),
    onEvent: (listener) => port().onEvent(listener),
  };
}

/** Removes the sockets of plugins whose gates are no more. Loads nothing where there is nothing. */
export async function sweepSockets(stateDirectory: string): Promise<void> {
  const home = socketHome(stateDirectory);
  if (!hasEntries(home)) return;
  const { sweepSocketFolders } = await import('../providers/plugin/socket-folder.js');
  const { isRunning } = await import('../services/processes/is-running.js');
  await sweepSocketFolders(home, isRunning);
}

const noHost: PluginHost = {
  providers: () => [],
  port: createNoPlugins(),
  located: () => nothingLocated,
  follow: () => undefined,
  settle: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
