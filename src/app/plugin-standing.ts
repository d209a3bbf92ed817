import type { LocatedPlugin, LocatedPlugins } from '../config/plugins/index.js';
import type { Log } from '../kernel/index.js';
import type { PluginOptions } from '../providers/plugin/index.js';

/** Why a plugin is not started, and what to do about it. */
export function closedBecause(plugin: LocatedPlugin): PluginOptions['closed'] {
  const { name, standing, problems, isEnabled, offBy } = plugin;
  if (standing === 'broken') {
    const [first] = problems.filter(({ severity }) => severity === 'error');
    return {
      state: 'failed',
      why: first === undefined ? 'it cannot be used' : `${first.message} (${first.file})`,
    };
  }
  if (!isEnabled) {
    const how = offBy === undefined ? `; run \`tidegate plugin enable ${name}\`` : ` in ${offBy}`;
    return { state: 'disabled', why: `it is switched off${how}` };
  }
  if (standing === 'trusted') return undefined;
  const how = standing === 'changed' ? 'it has changed since it was trusted' : 'nobody trusted it yet';
  return { state: 'untrusted', why: `${how}; look at it, then run \`tidegate plugin trust ${name}\`` };
}

/** What the operator of a gate should know of its plugins. */
export function tellOf({ plugins, shadowed, problems }: LocatedPlugins, log: Log): void {
  for (const plugin of plugins) {
    const closed = closedBecause(plugin);
    if (closed !== undefined && closed.state !== 'disabled')
      log('warn', `plugin not used: ${closed.why}`, { plugin: plugin.name });
  }
  for (const { name, place, by } of shadowed)
    log('warn', 'a plugin of the same name was found first', { plugin: name, place, by });
  for (const { code, message, file } of problems) log('warn', `${code}: ${message}`, { file });
}
