import { shellWord } from '../../lib/shell-word.js';
import type { LocatedPlugin, LocatedPlugins } from '../../config/plugins/index.js';
import type { Problem } from '../../config/index.js';
import type { Log } from '../../ports/log.js';
import type { PluginOptions } from '../../providers/plugin/index.js';

/** Why a plugin is not started, and what to do about it. */
export function whyNotStarted(plugin: LocatedPlugin): PluginOptions['closed'] {
  const { name, standing, problems, isEnabled, offBy } = plugin;
  if (standing === 'broken') {
    const [first] = problems.filter(({ severity }) => severity === 'error');
    return {
      state: 'failed',
      why: first === undefined ? 'the plugin cannot be used' : `${first.message} (${placeOf(first)})`,
    };
  }
  if (!isEnabled) {
    const how = offBy === undefined ? `; run \`tidegate plugin enable ${shellWord(name)}\`` : ` in ${offBy}`;
    return { state: 'disabled', why: `it is disabled${how}` };
  }
  if (standing === 'trusted') return undefined;
  const how = standing === 'changed' ? 'it has changed since it was trusted' : 'it is not trusted';
  return {
    state: 'untrusted',
    why: `${how}; review it, then run \`tidegate plugin trust ${shellWord(name)}\``,
  };
}

/** The position of a problem, if it has a line. */
function placeOf({ file, line, column, path }: Problem): string {
  return path === '' && line === 1 && column === 1 ? file : `${file}:${String(line)}:${String(column)}`;
}

/** Logs plugin problems for the operator. */
export function logPluginProblems({ plugins, shadowed, problems }: LocatedPlugins, log: Log): void {
  for (const plugin of plugins) {
    const closed = whyNotStarted(plugin);
    if (closed !== undefined && closed.state !== 'disabled')
      log('warn', `plugin not loaded: ${closed.why}`, { plugin: plugin.name });
  }
  for (const { name, place, by } of shadowed)
    log('warn', 'plugin ignored: another plugin has the same name', { plugin: name, place, by });
  for (const { code, message, severity, file, line, column } of problems)
    log(severity === 'error' ? 'error' : 'warn', `${code}: ${message}`, { file, line, column });
}
