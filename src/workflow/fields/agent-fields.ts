// The keys of agents: their own, those of the blocks `mcp_proxy` and `tidegate`, and the options that we know.
import type { Fields } from './field.js';
import { flag, state, template, text, texts } from './words.js';

export const proxyFields = {
  enable: flag('The gate gives the agent its tools. Default: false.'),
  intercept_builtins: flag('Read, Write, Edit, Bash, Glob and Grep come from the gate. Default: true.'),
  plugin_tools: {
    kind: 'list',
    about: 'Operations of plugins that become tools named `<plugin>_<operation>`.',
    of: {
      kind: 'map',
      isStrict: true,
      about: 'One plugin.',
      of: {
        plugin: { kind: 'text', needed: true, about: 'The name of the plugin.' },
        expose: texts('Its operations that the agent may call.'),
      },
    },
  },
} as const satisfies Fields;

export const gateFields = {
  profile: text('A profile that the agent does not go beyond.'),
  tools: texts('More tools of the gate: names, or patterns with * and ?; `!name` takes away.'),
  servers: texts('Configured servers whose tools the agent is given.'),
  lazy: {
    kind: 'text',
    values: ['off', 'auto', 'on'],
    about: 'Whether tools are shown when they are searched for. Default: as the gate is set.',
  },
  allow_native: flag('The step goes on although a tool of the agent itself ran. Default: false.'),
  inherit_active: flag('Begin with what is shown to the one who started the run.'),
} as const satisfies Fields;

const priceFields = {
  input: { kind: 'number', least: 0, about: 'US dollars for a million tokens of input.' },
  output: { kind: 'number', least: 0, about: 'US dollars for a million tokens of output.' },
} as const satisfies Fields;

/** Options of `openai_compatible`. Those of other providers are theirs. */
export const openaiOptionFields = {
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

export const agentFields = {
  provider: {
    kind: 'text',
    needed: true,
    holds: 'template',
    about: 'Which agent: `openai_compatible`, `claude`, …',
  },
  prompt: template('What the agent is asked.'),
  prompt_file: template(
    'A file with the prompt, relative to the workflow, to `prompts/` or to the workspace.',
  ),
  options: { kind: 'any', holds: 'template', about: 'Of the provider.' },
  mode: {
    kind: 'text',
    values: ['single', 'conversation'],
    about: '`conversation`: on a terminal you can answer; an empty line ends it. Default: single.',
  },
  system_prompt: template('What the agent is told before all else.'),
  role: text('A folder in `roles/` whose AGENTS.md comes before the system prompt.'),
  skills: {
    kind: 'list',
    about: 'Folders in `skills/` whose SKILL.md come before the system prompt.',
    of: {
      kind: 'either',
      about: 'A skill.',
      first: text('Its name.'),
      second: {
        kind: 'map',
        about: 'By path.',
        of: { path: { kind: 'text', needed: true, about: 'Its folder.' } },
      },
    },
  },
  output_format: {
    kind: 'text',
    values: ['json', 'text', ''],
    about: '`json`: the answer is read into `JSON`, without code fences. `text`: only without fences.',
  },
  conversation: {
    kind: 'map',
    about: 'Where the conversation comes from.',
    of: { continue_from: state('An agent step whose conversation is continued.') },
  },
} as const satisfies Fields;

export const agentBlocks = {
  mcp_proxy: {
    kind: 'map',
    isStrict: true,
    about: 'Which tools of the gate the agent gets.',
    of: proxyFields,
  },
  tidegate: { kind: 'map', isStrict: true, about: 'What the gate adds to it.', of: gateFields },
} as const satisfies Fields;
