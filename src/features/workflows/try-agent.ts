import { clis, type Verdict } from '../../agents/index.js';
import { stateDirectory } from '../../config/index.js';
import { ConfigRefused } from '../../workspace/config-refused.js';
import { openState } from '../../workspace/locate-config.js';
import type { AgentsPlace } from '../../workspace/agents/agent-reports.js';
import { findAgent } from '../../workspace/agents/find-agent.js';
import { provenVerdict } from '../../workspace/agents/know-cli.js';
import type { OpenTidegate } from '../../workspace/tidegate.js';

/** Tests the isolation of an installed CLI again. Undefined if it is not installed. */
export async function tryAgent(
  openTidegate: OpenTidegate,
  name: string,
  place: AgentsPlace & { readonly signal: AbortSignal; readonly model?: string },
): Promise<Verdict | undefined> {
  const { problem } = openState(place.env);
  if (problem !== undefined) throw new ConfigRefused([problem]);
  const cli = clis.find((one) => one.name === name);
  if (cli === undefined) return undefined;
  const { program, env } = findAgent(cli, place);
  if (program === undefined) return undefined;
  return provenVerdict(cli, program, {
    ...place,
    env,
    stateDirectory: stateDirectory(place.env),
    openGate: openTidegate,
  });
}
