import { defineRecord } from './field.js';

const lazy = {
  kind: 'choice',
  risk: 'none',
  description:
    'Lazy tools: hide tools of servers and plugins from the tool list until a search finds them. `auto` does so only when their definitions exceed `defer_above_tokens`. Built-in tools are always listed.',
  choices: ['auto', 'on', 'off'],
} as const;

const delivery = {
  kind: 'choice',
  risk: 'none',
  description:
    'How the client gets a tool that a search found. `list` adds it to the tool list and notifies the client to read the list again. `call_tool` never changes the list; the client calls the tool through `call_tool`. `auto` decides by client.',
  choices: ['auto', 'list', 'call_tool'],
} as const;

/** The keys under `context`. */
export const contextTable = defineRecord({
  kind: 'record',
  description: 'Lazy tools and tool search: which tools the client sees, and when.',
  default: {},
  fields: {
    lazy: { ...lazy, default: 'auto' },
    delivery: { ...delivery, default: 'auto' },
    max_active_schemas: {
      kind: 'integer',
      risk: 'none',
      description:
        'Maximum number of active tools per session, not counting tools that are always listed. When it is exceeded, the least recently used tool is removed. `0` turns lazy tools off and lists everything.',
      minimum: 0,
      maximum: 1000,
      default: 24,
    },
    max_active_tokens: {
      kind: 'integer',
      risk: 'none',
      description: 'Maximum estimated tokens for the definitions of the active tools of a session.',
      minimum: 100,
      maximum: 1_000_000,
      default: 5000,
    },
    defer_above_tokens: {
      kind: 'integer',
      risk: 'none',
      description: 'With `lazy: auto`, list all tools as long as their definitions fit in this many tokens.',
      minimum: 0,
      maximum: 10_000_000,
      default: 10_000,
    },
    pin: {
      kind: 'list',
      risk: 'none',
      description: 'Tools that are always listed, by the names agents see. `*` and `?` are wildcards.',
      default: [],
      takesOne: true,
      of: { kind: 'text', format: 'pattern', description: 'A name or pattern.' },
    },
    hold: {
      kind: 'duration',
      risk: 'none',
      description:
        'With `delivery: list`, how long a search waits for the client to read the list again. `0` does not wait.',
      minimum: 0,
      default: '3s',
    },
    inherit_active: {
      kind: 'boolean',
      risk: 'none',
      description: 'Whether a sub-agent starts with the active tools of its parent.',
      default: true,
    },
    clients: {
      kind: 'map',
      names: 'client',
      description: 'Overrides per client, by the name the client reports (`clientInfo.name`).',
      default: {},
      of: { kind: 'record', description: 'Overrides for one client.', fields: { lazy, delivery } },
    },
    search_hints: {
      kind: 'map',
      risk: 'none',
      names: 'tool',
      description:
        'Extra search terms for a tool, by the name agents see. Use words that its name and description lack.',
      default: {},
      of: {
        kind: 'list',
        description: 'Words or short phrases.',
        takesOne: true,
        of: { kind: 'text', format: 'any', description: 'A search term.' },
      },
    },
    synonyms: {
      kind: 'list',
      risk: 'none',
      description: 'Groups of words that a tool search treats as synonyms, in addition to the built-in ones.',
      default: [],
      of: {
        kind: 'list',
        description: 'Words with the same meaning.',
        of: { kind: 'text', format: 'any', description: 'A word.' },
      },
    },
    embeddings: {
      kind: 'record',
      description:
        'OpenAI-compatible embeddings service (`POST <url>/embeddings`) that lets tool search match by meaning. Without it, search matches words only and sends nothing to other machines.',
      fields: {
        url: {
          kind: 'text',
          risk: 'sends',
          format: 'url',
          description: 'Base URL of the service, ending in `/v1`.',
          required: true,
        },
        model: {
          kind: 'text',
          risk: 'sends',
          format: 'any',
          description: 'Name of the embedding model.',
          required: true,
        },
        key: {
          kind: 'text',
          risk: 'secret',
          format: 'any',
          description: 'API key. Take it from the environment: `${EMBEDDINGS_KEY}`.',
        },
      },
    },
  },
});

/** Key names that other gateways use for lazy tools. */
export const toolsTable = defineRecord({
  kind: 'record',
  description: 'Aliases for two keys of `context`.',
  default: {},
  fields: {
    lazy_mcp: {
      kind: 'boolean',
      risk: 'none',
      description: '`true` means `context.lazy: on`, `false` means `context.lazy: off`.',
    },
    max_active_schemas: {
      kind: 'integer',
      risk: 'none',
      description: 'Same as `context.max_active_schemas`.',
      minimum: 0,
      maximum: 1000,
    },
  },
});
