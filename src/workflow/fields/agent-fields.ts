// The keys of agents: their own, and those of the blocks `mcp_proxy` and `tidegate`.
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
