// Keys of agent steps, and of their `mcp_proxy` and `tidegate` blocks.
import type { Fields } from './field.js';
import { flag, state, template, text, texts } from './words.js';

export const proxyFields = {
  enable: flag('Give the agent tools from Tidegate. Default: false.'),
  intercept_builtins: flag('Provide Read, Write, Edit, Bash, Glob and Grep from Tidegate. Default: true.'),
  plugin_tools: {
    kind: 'list',
    about: 'Plugin operations to provide as tools named `<plugin>_<operation>`.',
    of: {
      kind: 'map',
      isStrict: true,
      about: 'A plugin.',
      of: {
        plugin: { kind: 'text', needed: true, about: 'Name of the plugin.' },
        expose: texts('Operations the agent may call.'),
      },
    },
  },
} as const satisfies Fields;

export const gateFields = {
  profile: text('Profile that limits the agent.'),
  tools: texts('Additional Tidegate tools: names, or patterns with * and ?. `!name` removes a tool.'),
  servers: texts('Configured servers whose tools the agent gets.'),
  lazy: {
    kind: 'text',
    values: ['off', 'auto', 'on'],
    about: 'Show tools only after the agent searches for them. Default: the setting in tidegate.yaml.',
  },
  allow_native: flag('Continue the step even if the agent used its own tools. Default: false.'),
  inherit_active_mcp: flag('Start with the active tools of the caller that started the run.'),
} as const satisfies Fields;

export const agentFields = {
  provider: {
    kind: 'text',
    needed: true,
    holds: 'template',
    about: 'Which agent to use: `openai_compatible`, `claude`, …',
  },
  prompt: template('Prompt for the agent.'),
  prompt_file: template('File with the prompt, relative to the workflow, to `prompts/` or to the workspace.'),
  options: { kind: 'any', holds: 'template', about: 'Options of the provider.' },
  mode: {
    kind: 'text',
    values: ['single', 'conversation'],
    about: '`conversation` lets you reply on a terminal; an empty line ends it. Default: single.',
  },
  system_prompt: template('System prompt for the agent.'),
  role: text('Folder in `roles/` whose AGENTS.md is placed before the system prompt.'),
  skills: {
    kind: 'list',
    about: 'Folders in `skills/` whose SKILL.md files are placed before the system prompt.',
    of: {
      kind: 'either',
      about: 'A skill.',
      first: text('Name of the skill.'),
      second: {
        kind: 'map',
        about: 'A skill by path.',
        of: { path: { kind: 'text', needed: true, about: 'Folder of the skill.' } },
      },
    },
  },
  output_format: {
    kind: 'text',
    values: ['json', 'text', ''],
    about: '`json` removes code fences and parses the answer into `JSON`. `text` only removes code fences.',
  },
  conversation: {
    kind: 'map',
    about: 'Conversation to continue.',
    of: { continue_from: state('Agent step whose conversation is continued.') },
  },
} as const satisfies Fields;

export const agentBlocks = {
  mcp_proxy: {
    kind: 'map',
    isStrict: true,
    about: 'Which Tidegate tools the agent gets.',
    of: proxyFields,
  },
  tidegate: {
    kind: 'map',
    isStrict: true,
    about: 'More settings for the tools from Tidegate.',
    of: gateFields,
  },
} as const satisfies Fields;
