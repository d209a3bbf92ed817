import type { Tidegate } from '../../../app/index.js';
import { printable, shellWord } from '../../../config/index.js';
import type { LocatedPlugin } from '../../../config/plugins/index.js';
import { Failure } from '../../failure.js';

/** Fails if a plugin cannot be used, with the reason and the next command. */
export function refuseUnused(tidegate: Tidegate, plugin: LocatedPlugin): void {
  const { name, standing, isEnabled, offBy } = plugin;
  const status = tidegate.gateway.registry.status().find(({ id }) => id === `plugin:${name}`);
  const because = status?.detail === undefined ? '' : `: ${printable(status.detail)}`;
  const message = `Plugin ${printable(name)} cannot be used${because}.`;
  if (standing === 'broken')
    throw new Failure('provider.unavailable', message, `tidegate plugin show ${shellWord(name)}`);
  if (!isEnabled) {
    const next =
      offBy === undefined
        ? `tidegate plugin enable ${shellWord(name)}`
        : `remove \`enabled: false\` from ${printable(offBy)}`;
    throw new Failure('plugin.disabled', message, next);
  }
  if (standing !== 'trusted')
    throw new Failure('provider.untrusted', message, `tidegate plugin trust ${shellWord(name)}`);
  if (status?.state === 'failed')
    throw new Failure('provider.unavailable', message, `tidegate plugin show ${shellWord(name)}`);
}

/** The same for the plugin that a tool name belongs to. Only for the operator: agents must not learn that it exists. */
export function refuseUnusedPluginOf(tidegate: Tidegate, tool: string): void {
  const owners = tidegate.locatedPlugins().plugins.filter(({ name }) => tool.startsWith(`${name}_`));
  for (const plugin of owners) refuseUnused(tidegate, plugin);
}
