import { join } from 'node:path';
import { mayHavePlugins, watchConfig } from '../../config/index.js';
import type { LocatedPlugins } from '../../config/plugins/index.js';
import { createNoPlugins } from '../../ports/no-plugins.js';
import type { Plugins } from '../../ports/plugins.js';
import { hasEntries } from '../../lib/has-entries.js';
import type { PluginHost, PluginHostParts } from './plugin-host.js';
import { socketHome } from '../socket-home.js';

const nothingLocated: LocatedPlugins = { plugins: [], shadowed: [], problems: [] };

/**
 * The plugin host, loaded only if a plugin folder exists. Otherwise it watches the trust record: a plugin runs only
 * after it is trusted, so a later plugin matters only then.
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
          .catch((error: unknown) => parts.log('error', 'could not load plugins', { error: String(error) }));
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

/** Forwards each call to the current port. */
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

/** Removes plugin sockets of ended gateways. Loads no code if there are none. */
export async function sweepSockets(stateDirectory: string): Promise<void> {
  const home = socketHome(stateDirectory);
  if (!hasEntries(home)) return;
  const { sweepSocketFolders } = await import('../../providers/plugin/socket-folder.js');
  const { isRunning } = await import('../../lib/is-running.js');
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
