import type { AgentOrder } from './agent.js';
import type { AgentCli, Endpoint } from './launch.js';

/** Where a key is looked for that is nowhere else: most endpoints of others are spoken to with this one. */
const commonKeyEnv = 'OPENAI_API_KEY';

/** Another model than the user's own, and the variable with its key: the one that was named, or the CLI's own. */
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
