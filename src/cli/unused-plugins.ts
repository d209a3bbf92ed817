import type { Tidegate } from '../app/index.js';
import { printable } from '../config/index.js';
import type { LocatedPlugin } from '../config/plugins/index.js';
import { Failure } from './failure.js';

/** Refuses a plugin that is not used, with the reason and what to type next. Nothing where it may run. */
export function refuseUnused(tidegate: Tidegate, plugin: LocatedPlugin): void {
  const { name, standing, isEnabled, offBy } = plugin;
  const status = tidegate.gateway.status().find(({ id }) => id === `plugin:${name}`);
  const because = status?.detail === undefined ? '' : `: ${printable(status.detail)}`;
  const message = `The plugin ${printable(name)} is not used${because}.`;
  if (standing === 'broken')
    throw new Failure('provider.unavailable', message, `tidegate plugin show ${printable(name)}`);
  if (!isEnabled) {
    const next =
      offBy === undefined
        ? `tidegate plugin enable ${printable(name)}`
        : `switch it on in ${printable(offBy)}`;
    throw new Failure('plugin.disabled', message, next);
  }
  if (standing !== 'trusted')
    throw new Failure('provider.untrusted', message, `tidegate plugin trust ${printable(name)}`);
  if (status?.state === 'failed')
    throw new Failure('provider.unavailable', message, `tidegate plugin show ${printable(name)}`);
}

/** The same for the plugin that a tool would be of, by its name. Only for the operator: agents are told that it is not there. */
export function refuseUnusedPluginOf(tidegate: Tidegate, tool: string): void {
  const owners = tidegate.locatedPlugins().plugins.filter(({ name }) => tool.startsWith(`${name}_`));
  for (const plugin of owners) refuseUnused(tidegate, plugin);
}
