// Agent options, one table for each provider Tidegate can run.
import { nativeLevels } from '../../agents/index.js';
import type { Fields } from './field.js';
import { flag, template } from './words.js';

const priceFields = {
  input: { kind: 'number', minimum: 0, description: 'US dollars per million input tokens.' },
  output: { kind: 'number', minimum: 0, description: 'US dollars per million output tokens.' },
} as const satisfies Fields;

const openaiOptions = {
  base_url: template('Base URL, without `/chat/completions`. Default: OPENAI_BASE_URL.'),
  model: template('Model to use. Default: OPENAI_MODEL.'),
  api_key: template('API key. Prefer an environment variable, see `api_key_env`.'),
  api_key_env: template('Environment variable with the API key. Default: OPENAI_API_KEY.'),
  temperature: {
    kind: 'number',
    minimum: 0,
    maximum: 2,
    description: 'Sampling temperature, passed to the model.',
  },
  top_p: { kind: 'number', minimum: 0, maximum: 1, description: 'Nucleus sampling, passed to the model.' },
  max_completion_tokens: {
    kind: 'integer',
    minimum: 1,
    description: 'Maximum number of tokens in an answer.',
  },
  max_tokens: {
    kind: 'integer',
    minimum: 1,
    description: 'Same as `max_completion_tokens`, for servers that only support this name.',
  },
  system_prompt: template('Same as `system_prompt` of the step.'),
  stream: flag('Stream answers. Default: true.'),
  parallel_tool_calls: flag('Passed to the model unchanged.'),
  max_turns: {
    kind: 'integer',
    minimum: 1,
    maximum: 1000,
    description: 'Maximum number of turns in which the model calls tools. Default: 25.',
  },
  max_retries: {
    kind: 'integer',
    minimum: 0,
    maximum: 20,
    description: 'How many times to retry a failed request. Default: 4.',
  },
  idle_timeout: {
    kind: 'duration',
    notation: 'compound',
    description: 'Maximum time without data from the model. Default: 2m.',
  },
  price: { kind: 'record', description: 'Token prices, for the cost in the summary.', fields: priceFields },
} as const satisfies Fields;

const commonKeyEnv = 'OPENAI_API_KEY';

/** Options of agent CLIs. `path`: what the CLI appends to the base URL; `keyEnv`: the CLI's usual API key variable. */
const cliOptions = (path: string, keyEnv: string) =>
  ({
    model: template('Model to use. Default: the default of the agent.'),
    base_url: template(
      `Another endpoint: the base URL, without \`${path}\`. Default: the endpoint of the agent.`,
    ),
    api_key_env: template(
      `Environment variable with the API key for \`base_url\`. Default: ${keyEnv === commonKeyEnv ? keyEnv : `${keyEnv}, or ${commonKeyEnv} if that is not set`}.`,
    ),
    program: template('Program to start. Default: the one on PATH.'),
    native_permissions: {
      kind: 'choice',
      takesScalars: true,
      choices: nativeLevels,
      description:
        'What the agent may do with its own tools, if it keeps them. `read`: read only. `edit`: change files in the workspace. `full`: change any file and run any command. Default: edit.',
    },
    dangerously_skip_permissions: flag('Set to true for the same effect as `native_permissions: full`.'),
    allowed_tools: {
      kind: 'either',
      description:
        "The agent's own tools to allow in addition to `native_permissions`, such as `Write` or `Bash(git *)`. If only this list is set, the rest is `read`.",
      first: template('Names separated by commas.'),
      second: { kind: 'list', description: 'One name per item.', of: template('Name of a tool.') },
    },
  }) as const satisfies Fields;

/** Option tables by provider name. */
export const optionFields = {
  openai_compatible: openaiOptions,
  claude: cliOptions('/v1/messages', 'ANTHROPIC_API_KEY'),
  gemini: cliOptions('/v1beta/models', 'GEMINI_API_KEY'),
  codex: cliOptions('/responses', commonKeyEnv),
  opencode: cliOptions('/chat/completions', commonKeyEnv),
} as const satisfies Readonly<Record<string, Fields>>;
