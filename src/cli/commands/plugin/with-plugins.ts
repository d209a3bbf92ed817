import { setTimeout as sleep } from 'node:timers/promises';
import type { State, Tidegate } from '../../../app/index.js';
import { describeProblem, printable } from '../../../config/index.js';
import type { LocatedPlugin, LocatedPlugins } from '../../../config/plugins/index.js';
import type { Context } from '../../command.js';
import { Failure } from '../../failure.js';
import { didYouMean } from '../../nearest-name.js';
import { findTool, type Tool } from '../tools/with-tools.js';

/** Finds the plugins for this folder without opening a gateway. Runs nothing. */
export async function locatedPlugins(context: Context): Promise<LocatedPlugins> {
  const { cwd, env } = context;
  const { governingConfig, openState } = await import('../../../app/index.js');
  const state = openState(env);
  if (state.problem) throw new Failure(state.problem.code, state.problem.message, state.problem.remedy);
  const { folder } = await governingConfig({ cwd, env }, state.trust);
  return pluginsIn(folder, state, context, 'all');
}

/** Finds the plugins for a given folder. */
export async function pluginsIn(
  workspace: string,
  { trust, directory }: State,
  { env, version }: Context,
  hashes: 'trusted' | 'all',
): Promise<LocatedPlugins> {
  const { locatePlugins, openPluginSwitches } = await import('../../../config/plugins/index.js');
  const switches = openPluginSwitches(directory);
  return locatePlugins({ workspace, environment: env, version, trust, switches, hashes });
}

/** The plugin with that name, or a failure that suggests a similar one. */
export function findPlugin({ plugins }: LocatedPlugins, name: string): LocatedPlugin {
  const found = plugins.find((plugin) => plugin.name === name);
  if (found !== undefined) return found;
  const near = didYouMean(
    name,
    plugins.map((plugin) => plugin.name),
  );
  throw new Failure('plugin.not_found', `Unknown plugin: ${printable(name)}.${near}`, 'tidegate plugin list');
}

/** Limits the wait for another server or plugin that never answers, as in the first listing of a gateway. */
const neighbourMs = 2000;

/** Waits until the other tools are listed, because names may collide. */
export async function neighboursListed({ gateway }: Tidegate): Promise<void> {
  await Promise.race([gateway.registry.listed(), sleep(neighbourMs, undefined, { ref: false })]);
}

/** The tool of an operation. Uses the current listing first; later listings do not change it. */
export async function operationTool(tidegate: Tidegate, name: string, context: Context): Promise<Tool> {
  const { listTools } = await import('../../../app/index.js');
  const known = (await listTools(tidegate)).find((tool) => tool.name === name);
  return known ?? findTool(tidegate, name, context);
}

export interface PluginReport {
  readonly name: string;
  readonly type: string;
  readonly state: string;
  readonly detail?: string;
  readonly version?: string;
  readonly capabilities: readonly string[];
  readonly place: string;
  readonly tools: number;
}

/** The state of each plugin. */
export function reportsOf(tidegate: Tidegate): readonly PluginReport[] {
  const status = new Map(tidegate.gateway.registry.status().map((one) => [one.id, one]));
  return tidegate.locatedPlugins().plugins.map(({ name, type, version, capabilities, place }) => {
    const { state = 'stopped', detail, tools = 0 } = status.get(`plugin:${name}`) ?? {};
    return {
      name,
      type,
      state,
      ...(detail !== undefined && { detail }),
      ...(version !== undefined && { version }),
      capabilities: type === 'mcp' ? ['operations'] : capabilities,
      place,
      tools,
    };
  });
}

/** Errors in the files that declare plugins, which make the whole result unreliable. */
export function listErrors({ problems }: LocatedPlugins): readonly string[] {
  return pluginNotes({
    plugins: [],
    shadowed: [],
    problems: problems.filter(({ severity }) => severity === 'error'),
  });
}

/** Problems and shadowed plugins, for the operator. */
export function pluginNotes({ shadowed, plugins, problems }: LocatedPlugins): readonly string[] {
  const flaws = [...problems, ...plugins.flatMap((plugin) => plugin.problems)];
  const words = flaws.map(describeProblem);
  return [
    ...new Set(words),
    ...shadowed.map(
      ({ name, place, by }) =>
        `${printable(place)} is not used: ${printable(by)} is also named ${printable(name)}`,
    ),
  ];
}
