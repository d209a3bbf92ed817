import { createFault, type Fault } from '../core/index.js';
import type { PluginAnswer, Plugins, PluginToolsProblem } from './plugins.js';

/** Used when no plugins are configured: every plugin name is unknown. */
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
  return createFault('work.not_found', `Unknown plugin: ${name}.`, { reason: 'unknown_plugin' });
}

export function unknownPluginProblem(plugin: string, entry: number): PluginToolsProblem {
  const message = `Unknown plugin "${plugin}": it is neither declared in plugins.yaml nor found in a plugin folder.`;
  return { code: 'USER.MCP_PROXY.UNKNOWN_PLUGIN', message, entry };
}
