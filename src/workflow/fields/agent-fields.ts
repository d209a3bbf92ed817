// Keys of agent steps, and of their `mcp_proxy` and `tidegate` blocks.
import type { Fields } from './field.js';
import { flag, state, template, text, texts } from './words.js';

export const proxyFields = {
  enable: flag('Give the agent tools from Tidegate. Default: false.'),
  intercept_builtins: flag('Provide Read, Write, Edit, Bash, Glob and Grep from Tidegate. Default: true.'),
  plugin_tools: {
    kind: 'list',
    description: 'Plugin operations to provide as tools named `<plugin>_<operation>`.',
    of: {
      kind: 'record',
      unknownKeys: 'refuse',
      description: 'A plugin.',
      fields: {
        plugin: { kind: 'text', takesScalars: true, required: true, description: 'Name of the plugin.' },
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
    kind: 'choice',
    takesScalars: true,
    choices: ['off', 'auto', 'on'],
    description: 'Show tools only after the agent searches for them. Default: the setting in tidegate.yaml.',
  },
  allow_native: flag('Continue the step even if the agent used its own tools. Default: false.'),
  inherit_active_mcp: flag('Start with the active tools of the caller that started the run.'),
} as const satisfies Fields;

export const agentFields = {
  provider: {
    kind: 'text',
    takesScalars: true,
    required: true,
    holds: 'template',
    description: 'Which agent to use: `openai_compatible`, `claude`, …',
  },
  prompt: template('Prompt for the agent.'),
  prompt_file: template('File with the prompt, relative to the workflow, to `prompts/` or to the workspace.'),
  options: { kind: 'any', holds: 'template', description: 'Options of the provider.' },
  mode: {
    kind: 'choice',
    takesScalars: true,
    choices: ['single', 'conversation'],
    description: '`conversation` lets you reply in a terminal; an empty line ends it. Default: single.',
  },
  system_prompt: template('System prompt for the agent.'),
  role: text('Folder in `roles/` whose AGENTS.md is placed before the system prompt.'),
  skills: {
    kind: 'list',
    description: 'Folders in `skills/` whose SKILL.md files are placed before the system prompt.',
    of: {
      kind: 'either',
      description: 'A skill.',
      first: text('Name of the skill.'),
      second: {
        kind: 'record',
        description: 'A skill by path.',
        fields: {
          path: { kind: 'text', takesScalars: true, required: true, description: 'Folder of the skill.' },
        },
      },
    },
  },
  output_format: {
    kind: 'choice',
    takesScalars: true,
    choices: ['json', 'text', ''],
    description:
      '`json` removes code fences and parses the answer into `JSON`. `text` only removes code fences.',
  },
  conversation: {
    kind: 'record',
    description: 'Conversation to continue.',
    fields: { continue_from: state('Agent step whose conversation is continued.') },
  },
} as const satisfies Fields;

export const agentBlocks = {
  mcp_proxy: {
    kind: 'record',
    unknownKeys: 'refuse',
    description: 'Which Tidegate tools the agent gets.',
    fields: proxyFields,
  },
  tidegate: {
    kind: 'record',
    unknownKeys: 'refuse',
    description: 'More settings for the tools from Tidegate.',
    fields: gateFields,
  },
} as const satisfies Fields;
