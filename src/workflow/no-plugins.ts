import { createFault, type Plugins } from '../kernel/index.js';

/** For a gate that has no plugins: every one that is named is unknown. */
export function createNoPlugins(): Plugins {
  const unknown = { ok: false, fault: createFault('tool.not_found', 'There are no plugins here.') } as const;
  return {
    list: () => [],
    offer: () => Promise.resolve(unknown),
    check: (wanted) =>
      Promise.resolve({
        problems: wanted.map(({ plugin }, entry) => ({
          code: 'USER.MCP_PROXY.UNKNOWN_PLUGIN' as const,
          message: `There is no plugin ${JSON.stringify(plugin)}.`,
          entry,
        })),
        unchecked: [],
        tools: [],
      }),
    runStep: () => Promise.resolve(unknown),
    validate: () => Promise.resolve([]),
    publish: () => undefined,
    onEvent: () => () => undefined,
  };
}
