import { mayHavePlugins } from '../config/index.js';
import type { LocatedPlugins } from '../config/plugins/index.js';
import { createFault, type PluginAnswer, type Plugins } from '../kernel/index.js';
import { hasEntries } from './has-entries.js';
import type { PluginHost, PluginHostParts } from './plugin-host.js';
import { socketHome } from './socket-home.js';

const nothingLocated: LocatedPlugins = { plugins: [], shadowed: [], problems: [] };

/** The host of plugins where there may be any; its code is loaded with the first of them. */
export async function openLatePlugins(parts: PluginHostParts): Promise<PluginHost> {
  if (!mayHavePlugins(parts.folder, parts.env)) return noHost;
  const { openPluginHost } = await import('./plugin-host.js');
  return openPluginHost(parts);
}

/** Removes the sockets of plugins whose gates are no more. Loads nothing where there is nothing. */
export async function sweepSockets(stateDirectory: string): Promise<void> {
  const home = socketHome(stateDirectory);
  if (!hasEntries(home)) return;
  const { sweepSocketFolders } = await import('../providers/plugin/socket-folder.js');
  await sweepSocketFolders(home);
}

function unknown<T>(name: string): Promise<PluginAnswer<T>> {
  return Promise.resolve({
    ok: false,
    fault: createFault('work.not_found', `There is no plugin ${name} here.`),
  });
}

const noPlugins: Plugins = {
  list: () => [],
  offer: (name) => unknown(name),
  check: (wanted) =>
    Promise.resolve({
      problems: wanted.map(({ plugin }, entry) => ({
        code: 'USER.MCP_PROXY.UNKNOWN_PLUGIN' as const,
        message: `There is no plugin "${plugin}": none is declared in plugins.yaml or found in a folder of plugins.`,
        entry,
      })),
      unchecked: [],
      tools: [],
    }),
  runStep: ({ plugin }) => unknown(plugin),
  validate: () => Promise.resolve([]),
  publish: () => undefined,
  onEvent: () => () => undefined,
};

const noHost: PluginHost = {
  providers: () => [],
  port: noPlugins,
  located: () => nothingLocated,
  follow: () => undefined,
  close: () => Promise.resolve(),
};
