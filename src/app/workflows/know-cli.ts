import {
  type AgentCli,
  AgentFailure,
  type AgentOrder,
  findProgram,
  type KnownCli,
} from '../../agents/index.js';
import type { Tidegate } from '../tidegate.js';

export interface KnowParts {
  readonly tidegate: Tidegate;
  readonly cwd: string;
  readonly version: string;
}

/** Finds an agent CLI and what is known of its isolation. */
export function knowCli(
  cli: AgentCli,
  { options, env }: Pick<AgentOrder, 'options' | 'env'>,
  { cwd }: KnowParts,
): Promise<KnownCli> {
  const wanted = typeof options['program'] === 'string' ? options['program'] : cli.program;
  const program = findProgram(wanted, env, cwd);
  if (program === undefined) {
    throw new AgentFailure(
      'EXECUTION.AGENT.UNAVAILABLE',
      `${cli.title} is not installed: there is no ${JSON.stringify(wanted)} on PATH. Install it: ${cli.install}`,
    );
  }
  return Promise.resolve({ program, verdict: { kind: 'isolated', version: '', growsList: cli.growsList } });
}
