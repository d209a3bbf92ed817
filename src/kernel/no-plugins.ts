import { createFault, type Fault } from './fault.js';
import type { PluginAnswer, Plugins, PluginToolsProblem } from './plugin-port.js';

/** For a gate that has no plugins: every one that is named is unknown. */
export function createNoPlugins(): Plugins {
  return {
    list: () => [],
    offer: (name) => unknown(name),
    check: (wanted) =>
      Promise.resolve({
        problems: wanted.map(({ plugin }, entry) => unknownPluginProblem(plugin, entry)),
        unchecked: [],
        tools: [],
      }),
    runStep: ({ plugin }) => unknown(plugin),
    validate: () => Promise.resolve([]),
    publish: () => undefined,
    onEvent: () => () => undefined,
  };
}

function unknown<T>(name: string): Promise<PluginAnswer<T>> {
  return Promise.resolve({ ok: false, fault: unknownPlugin(name) });
}

export function unknownPlugin(name: string): Fault {
  return createFault('work.not_found', `There is no plugin ${name} here.`, { reason: 'unknown_plugin' });
}

/** Of an entry of `plugin_tools`. */
export function unknownPluginProblem(plugin: string, entry: number): PluginToolsProblem {
  const message = `There is no plugin "${plugin}": none is declared in plugins.yaml or found in a folder of plugins.`;
  return { code: 'USER.MCP_PROXY.UNKNOWN_PLUGIN', message, entry };
}
