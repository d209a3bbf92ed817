// The options of agents, one table for each provider that can be run.
import type { Fields } from './field.js';
import { flag, template } from './words.js';

const priceFields = {
  input: { kind: 'number', least: 0, about: 'US dollars for a million tokens of input.' },
  output: { kind: 'number', least: 0, about: 'US dollars for a million tokens of output.' },
} as const satisfies Fields;

const openaiOptions = {
  base_url: template('The address before `/chat/completions`. Default: OPENAI_BASE_URL.'),
  model: template('The model. Default: OPENAI_MODEL.'),
  api_key: template('The key. Better: leave it out and set the variable of `api_key_env`.'),
  api_key_env: template('The variable that holds the key. Default: OPENAI_API_KEY.'),
  temperature: { kind: 'number', least: 0, most: 2, about: 'As the model takes it.' },
  top_p: { kind: 'number', least: 0, most: 1, about: 'As the model takes it.' },
  max_completion_tokens: { kind: 'integer', least: 1, about: 'The longest answer.' },
  max_tokens: { kind: 'integer', least: 1, about: 'The same for servers that know only this word.' },
  system_prompt: template('The same as `system_prompt` of the step.'),
  stream: flag('Read answers as they are written. Default: true.'),
  parallel_tool_calls: flag('Sent on as it is.'),
  max_turns: {
    kind: 'integer',
    least: 1,
    most: 1000,
    about: 'How often the model may call tools. Default: 25.',
  },
  max_retries: {
    kind: 'integer',
    least: 0,
    most: 20,
    about: 'How often a failed request is repeated. Default: 4.',
  },
  idle_timeout: { kind: 'duration', about: 'How long the model may be silent. Default: 2m.' },
  price: { kind: 'map', about: 'What tokens cost, for the summary.', of: priceFields },
} as const satisfies Fields;

const commonKeyEnv = 'OPENAI_API_KEY';

/** What an agent CLI is told. `path`: what it adds to the address itself; `keyEnv`: where its users keep their key. */
const cliOptions = (path: string, keyEnv: string) =>
  ({
    model: template('The model. Default: what the agent itself uses.'),
    base_url: template(
      `Another endpoint: the address before \`${path}\`. Default: where the agent itself asks.`,
    ),
    api_key_env: template(
      `The variable that holds the key for \`base_url\`. Default: ${keyEnv === commonKeyEnv ? keyEnv : `${keyEnv}, or ${commonKeyEnv} where that is not set`}.`,
    ),
    program: template('The file to start. Default: the one on PATH.'),
  }) as const satisfies Fields;

/** By the name of the provider. */
export const optionFields = {
  openai_compatible: openaiOptions,
  claude: cliOptions('/v1/messages', 'ANTHROPIC_API_KEY'),
  gemini: cliOptions('/v1beta/models', 'GEMINI_API_KEY'),
  codex: cliOptions('/responses', commonKeyEnv),
  opencode: cliOptions('/chat/completions', commonKeyEnv),
} as const satisfies Readonly<Record<string, Fields>>;
