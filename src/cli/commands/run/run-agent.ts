import { shellWord } from '../../../config/index.js';
import type { RunOptions } from '../../../features/workflows/index.js';
import { type Context, type Given, textOption } from '../../command.js';
import { Failure } from '../../failure.js';
import { actorOf, patternsOf } from '../../with-gateway.js';

/** Builds the run of a single agent from the command line. */
export async function agentOptions(
  provider: string,
  given: Given,
  { input }: Context,
): Promise<Pick<RunOptions, 'text' | 'inputs'>> {
  const { agentFlowText } = await import('../../../features/workflows/index.js');
  const prompt = textOption(given, 'prompt');
  if (prompt === undefined) {
    const next = `tidegate run --agent ${shellWord(provider)} --prompt "What does this project do?" --tools Read`;
    throw new Failure('usage.missing_argument', '--agent requires --prompt.', next);
  }
  const { profile } = actorOf(given);
  const model = textOption(given, 'model');
  const baseUrl = urlOption(given);
  const apiKeyEnv = textOption(given, 'api-key-env');
  const system = textOption(given, 'system');
  const text = agentFlowText({
    provider,
    tools: patternsOf(given, 'tidegate run --agent openai') ?? ['*'],
    ...(profile !== undefined && { profile }),
    ...(model !== undefined && { model }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
  });
  const inputs = {
    prompt: prompt === '-' ? await input.readAll() : prompt,
    ...(system !== undefined && { system }),
  };
  return { text, inputs };
}

/** The value of `--base-url`, if it is a valid URL. */
export function urlOption(given: Given): string | undefined {
  const text = textOption(given, 'base-url');
  if (text === undefined || (/^https?:/i.test(text) && URL.canParse(text))) return text;
  throw new Failure('usage.bad_value', '--base-url takes a URL such as http://127.0.0.1:8000/v1.');
}
