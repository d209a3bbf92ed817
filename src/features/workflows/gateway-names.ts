import { dirname } from 'node:path';
import { shippedProfiles } from '../../access/profiles/index.js';
import { findPolicy, loadProfiles } from '../../config/index.js';
import { governingConfig } from '../../workspace/governing-config.js';
import { openState } from '../../workspace/locate-config.js';
import type { GateNames } from '../../workflow/index.js';
import { reportAgents } from '../../workspace/agents/agent-reports.js';
import type { WorkflowPlace } from '../../workspace/workflow-library.js';

export interface NamesPlace extends WorkflowPlace {
  readonly version: string;
  /** Untested agents are tested before they run. */
  readonly willTry?: boolean;
}

/** Profile and server names from the configuration files. Opens no gateway. */
export async function gatewayNames({
  cwd,
  env,
  configFile,
  version,
  willTry = false,
}: NamesPlace): Promise<Required<GateNames>> {
  const { trust } = openState(env);
  const place = { cwd, env, ...(configFile !== undefined && { configFile }) };
  const { config, file } = await governingConfig(place, trust);
  const directory = file === undefined ? cwd : dirname(file);
  const named = config.access.profiles ?? findPolicy({ directory }).profiles;
  const written = named === undefined ? [] : (await loadProfiles(named)).profiles;
  return {
    profiles: [...new Set([...shippedProfiles, ...written].map(({ name }) => name))],
    servers: config.servers.map(({ name }) => name),
    doubts: doubtsAbout({ cwd, env, version, willTry, roots: config.workspace.roots }),
  };
}

/** Doubts about isolation from remembered tests. */
function doubtsAbout(
  place: Omit<NamesPlace, 'configFile'> & { readonly roots: readonly string[] },
): (provider: string) => string | undefined {
  return (provider) => {
    const report = reportAgents(place).find(({ name }) => name === provider);
    if (report === undefined) return `Tidegate cannot disable the built-in tools of ${provider}.`;
    const { title, program, verdict } = report;
    if (verdict?.kind === 'isolated' || (verdict === undefined && place.willTry === true)) return undefined;
    if (verdict?.kind === 'leaks')
      return `${title} has tools that Tidegate cannot disable: ${verdict.leaks.join(', ')}.`;
    const untried = program === undefined ? 'it is not installed here' : 'its isolation has not been tested';
    const why = verdict?.why ?? untried;
    return `${title} has not been verified to use only tools from Tidegate: ${why.replace(/\.$/, '')}.`;
  };
}
