import { dirname } from 'node:path';
import { shippedProfiles } from '../../access/profiles/shipped.js';
import { findPolicy, loadProfiles } from '../../config/index.js';
import { locateConfig, openState } from '../locate-config.js';
import type { WorkflowPlace } from './library.js';

/** What agents may be given by name, as far as files say it. Nothing is opened. */
export async function gateNames({
  cwd,
  env,
  configFile,
}: WorkflowPlace): Promise<{ readonly profiles: readonly string[]; readonly servers: readonly string[] }> {
  const { trust } = openState(env);
  const place = { cwd, env, ...(configFile !== undefined && { configFile }) };
  const { config, file } = await locateConfig(place, trust);
  const directory = file === undefined ? cwd : dirname(file);
  const named = config.access.profiles ?? findPolicy({ directory }).profiles;
  const written = named === undefined ? [] : (await loadProfiles(named)).profiles;
  return {
    profiles: [...new Set([...shippedProfiles, ...written].map(({ name }) => name))],
    servers: config.servers.map(({ name }) => name),
  };
}
