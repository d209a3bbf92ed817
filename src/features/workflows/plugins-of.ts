import { mayHavePlugins } from '../../config/index.js';
import { createNoPlugins } from '../../ports/no-plugins.js';
import type { Plugins } from '../../ports/plugins.js';
import type { FindRivals } from '../../workflow/index.js';
import type { OpenTidegate, Tidegate } from '../../workspace/tidegate.js';
import type { WorkflowPlace } from '../../workspace/workflow-library.js';

/** Provides the plugins while `work` runs. Opens no gateway if there are none. */
export async function withPluginsOf<T>(
  openTidegate: OpenTidegate,
  place: WorkflowPlace & { readonly version: string },
  work: (plugins: Plugins, findRivals?: FindRivals) => Promise<T>,
): Promise<T> {
  const { cwd, env, version, configFile } = place;
  if (!mayHavePlugins(cwd, env)) return work(createNoPlugins());
  const more = configFile === undefined ? {} : { configFile };
  const tidegate = await openTidegate({ cwd, env, version, mode: 'command', ...more });
  try {
    return await work(tidegate.plugins, rivalsIn(tidegate));
  } finally {
    await tidegate.close();
  }
}

/** Asks only servers whose prefix matches one of the tool names; no other server can offer it. */
function rivalsIn({ gateway, config, trust }: Tidegate): FindRivals {
  return async (tools) => {
    const servers = config.servers.filter(
      ({ isEnabled, prefix }) =>
        trust.isTrusted && isEnabled && tools.some((name) => name.startsWith(prefix)),
    );
    const sources = servers.map(({ name }) => `server:${name}` as const);
    await gateway.registry.listed(sources);
    const reports = gateway.registry.status();
    const isAsked = (state: string | undefined): boolean => state === 'ready' || state === 'idle';
    const stateOf = (name: string): string | undefined =>
      reports.find(({ source }) => source === `server:${name}`)?.state;
    return {
      collisions: gateway.registry.collisions().filter(({ name }) => tools.includes(name)),
      unasked: servers.map(({ name }) => name).filter((name) => !isAsked(stateOf(name))),
    };
  };
}
