import { AgentFailure } from './agent.js';
import type { AgentCli } from './launch.js';

/** A CLI that did not do what it was asked. */
export function failed(cli: AgentCli, why: string): AgentFailure {
  return new AgentFailure('EXECUTION.AGENT.FAILED', `${cli.title} failed: ${why}.`.replace(/\.\.$/, '.'));
}
