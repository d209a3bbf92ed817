import { openTrust, stateDirectory } from '../../config/index.js';
import { governingConfig } from '../governing-config.js';
import type { Place } from '../locate-config.js';

/** The workspace roots, for commands without a gateway. Ignores untrusted files and writes nothing. */
export async function agentRoots(place: Place): Promise<readonly string[]> {
  const { config } = await governingConfig(place, openTrust(stateDirectory(place.env)));
  return config.workspace.roots;
}
