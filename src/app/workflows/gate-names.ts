import { dirname } from 'node:path';
import { shippedProfiles } from '../../access/profiles/shipped.js';
import { findPolicy, loadProfiles } from '../../config/index.js';
import { locateConfig, openState } from '../locate-config.js';
import type { GateNames } from '../../workflow/index.js';
import { reportAgents } from './agent-reports.js';
import type { WorkflowPlace } from './library.js';

export interface NamesPlace extends WorkflowPlace {
  readonly version: string;
  /** Agents that nobody has tried are tried before they run. */
  readonly willTry?: boolean;
}

/** What agents may be given by name, as far as files say it. Nothing is opened. */
export async function gateNames({
  cwd,
  env,
  configFile,
  version,
  willTry = false,
}: NamesPlace): Promise<Required<GateNames>> {
  const { trust } = openState(env);
  const place = { cwd, env, ...(configFile !== undefined && { configFile }) };
  const { config, file } = await locateConfig(place, trust);
  const directory = file === undefined ? cwd : dirname(file);
  const named = config.access.profiles ?? findPolicy({ directory }).profiles;
  const written = named === undefined ? [] : (await loadProfiles(named)).profiles;
  return {
    profiles: [...new Set([...shippedProfiles, ...written].map(({ name }) => name))],
    servers: config.servers.map(({ name }) => name),
    doubts: doubtsAbout({ cwd, env, version, willTry }),
  };
}

/** What is remembered of trials. */
function doubtsAbout(place: Omit<NamesPlace, 'configFile'>): (provider: string) => string | undefined {
  return (provider) => {
    const report = reportAgents(place).find(({ name }) => name === provider);
    if (report === undefined) return `There is no way yet to take the tools of ${provider} away.`;
    const { title, program, verdict } = report;
    if (verdict?.kind === 'isolated' || (verdict === undefined && place.willTry === true)) return undefined;
    if (verdict?.kind === 'leaks')
      return `${title} has tools that the gate cannot take away: ${verdict.leaks.join(', ')}.`;
    const untried = program === undefined ? 'it is not installed here' : 'it was not tried';
    const why = verdict?.why ?? untried;
    return `Nothing proves that ${title} has no tools but those of the gate: ${why.replace(/\.$/, '')}.`;
  };
}
