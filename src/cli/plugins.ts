import { setTimeout as sleep } from 'node:timers/promises';
import type { State, Tidegate } from '../app/index.js';
import { describeProblem, printable } from '../config/index.js';
import type { LocatedPlugin, LocatedPlugins } from '../config/plugins/index.js';
import type { Context } from './command.js';
import { Failure } from './failure.js';
import { didYouMean } from './nearest-name.js';
import { findTool, type Tool } from './tools.js';

/** Finds the plugins of this place without opening a gate. Runs nothing. */
export async function locatedPlugins(context: Context): Promise<LocatedPlugins> {
  const { cwd, env } = context;
  const { locateConfig, openState } = await import('../app/index.js');
  const state = openState(env);
  if (state.problem) throw new Failure(state.problem.code, state.problem.message, state.problem.remedy);
  const { folder } = await locateConfig({ cwd, env }, state.trust);
  return pluginsIn(folder, state, context, 'all');
}

/** The same for a folder that is known. */
export async function pluginsIn(
  workspace: string,
  { trust, directory }: State,
  { env, version }: Context,
  hashes: 'trusted' | 'all',
): Promise<LocatedPlugins> {
  const { locatePlugins, openPluginSwitches } = await import('../config/plugins/index.js');
  const switches = openPluginSwitches(directory);
  return locatePlugins({ workspace, environment: env, version, trust, switches, hashes });
}

/** The plugin of that name; otherwise a failure that names the nearest one. */
export function findPlugin({ plugins }: LocatedPlugins, name: string): LocatedPlugin {
  const found = plugins.find((plugin) => plugin.name === name);
  if (found !== undefined) return found;
  const near = didYouMean(
    name,
    plugins.map((plugin) => plugin.name),
  );
  throw new Failure('plugin.not_found', `Unknown plugin: ${printable(name)}.${near}`, 'tidegate plugin list');
}

/** As long as the first list of a gate waits: a neighbour that never answers costs no more than that. */
const neighbourMs = 2000;

/** Waits a moment until everything else of the gate is listed too, because names may meet. */
export async function neighboursListed({ gateway }: Tidegate): Promise<void> {
  await Promise.race([gateway.listed(), sleep(neighbourMs, undefined, { ref: false })]);
}

/** The tool of an operation that is known; whatever else is listed later does not change it. */
export async function operationTool(tidegate: Tidegate, name: string, context: Context): Promise<Tool> {
  const { listTools } = await import('../app/index.js');
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

/** How each plugin of a gate is doing. */
export function reportsOf(tidegate: Tidegate): readonly PluginReport[] {
  const status = new Map(tidegate.gateway.status().map((one) => [one.id, one]));
  const colliding = new Set(tidegate.gateway.collisions().map(({ second }) => second));
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
      tools: colliding.has(`plugin:${name}`) ? 0 : tools,
    };
  });
}

/** The mistakes of the files that declare plugins: with one, nothing of the place can be relied on. */
export function listErrors({ problems }: LocatedPlugins): readonly string[] {
  return pluginNotes({
    plugins: [],
    shadowed: [],
    problems: problems.filter(({ severity }) => severity === 'error'),
  });
}

/** What else an operator should know of the plugins of a place. */
export function pluginNotes({ shadowed, plugins, problems }: LocatedPlugins): readonly string[] {
  const flaws = [...problems, ...plugins.flatMap((plugin) => plugin.problems)];
  const words = flaws.map(describeProblem);
  return [
    ...new Set(words),
    ...shadowed.map(
      ({ name, place, by }) =>
        `${printable(place)} is not used: ${printable(by)} is called ${printable(name)} too`,
    ),
  ];
}
