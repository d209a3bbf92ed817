import type { AgentOrder } from './agent.js';
import type { AgentCli, Endpoint } from './launch.js';

/** Fallback API key variable, because most other endpoints use it. */
const commonKeyEnv = 'OPENAI_API_KEY';

/** A custom endpoint with its API key variable: the configured one, or the default of the CLI. */
export function endpointOf(
  { keyEnv }: Pick<AgentCli, 'keyEnv'>,
  { options, env }: Pick<AgentOrder, 'options' | 'env'>,
): Endpoint | undefined {
  const url = textOption(options, 'base_url');
  if (url === undefined) return undefined;
  const usual = !env[keyEnv] && env[commonKeyEnv] ? commonKeyEnv : keyEnv;
  return { url, keyEnv: textOption(options, 'api_key_env') ?? usual };
}

export function textOption(options: AgentOrder['options'], name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
