import { clis, findProgram, type Verdict } from '../../agents/index.js';
import { stateDirectory } from '../../config/index.js';
import { ConfigRefused } from '../config-refused.js';
import { openState } from '../locate-config.js';
import { openTidegate } from '../open-tidegate.js';
import type { AgentsPlace } from './agent-reports.js';
import { provenVerdict } from './know-cli.js';

/** Tries the isolation of an installed CLI anew. Undefined: it is not installed. */
export async function tryAgent(
  name: string,
  place: AgentsPlace & { readonly signal: AbortSignal; readonly model?: string },
): Promise<Verdict | undefined> {
  const { problem } = openState(place.env);
  if (problem !== undefined) throw new ConfigRefused([problem]);
  const cli = clis.find((one) => one.name === name);
  const program = cli && findProgram(cli.program, place.env, place.cwd);
  if (cli === undefined || program === undefined) return undefined;
  return provenVerdict(cli, program, {
    ...place,
    stateDirectory: stateDirectory(place.env),
    openGate: openTidegate,
  });
}
