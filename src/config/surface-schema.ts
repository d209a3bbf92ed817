import { defineRecord } from './field.js';

const lazy = {
  kind: 'choice',
  description:
    'Whether tools of servers and plugins are left out of the list until they are searched for. `auto`: only when they are more than `defer_above_tokens`. Our own tools are always listed.',
  choices: ['auto', 'on', 'off'],
} as const;

const delivery = {
  kind: 'choice',
  description:
    'How a tool that was found comes to the client. `list`: it is added to the list, and the client is told to read that again. `bridge`: the list never changes, and `call_tool` calls what is not in it. `auto`: by what is known of the client.',
  choices: ['auto', 'list', 'bridge'],
} as const;

/** The keys under `surface`. */
export const surfaceTable = defineRecord({
  kind: 'record',
  description: 'How many tools are shown at once.',
  default: {},
  fields: {
    lazy: { ...lazy, default: 'auto' },
    delivery: { ...delivery, default: 'auto' },
    max_active_schemas: {
      kind: 'integer',
      description:
        'How many tools that were found are shown at once to one session. The one that was not used for longest makes room. `0` shows everything.',
      minimum: 0,
      maximum: 1000,
      default: 24,
    },
    max_active_tokens: {
      kind: 'integer',
      description: 'How many tokens, by estimate, the definitions of these tools may take.',
      minimum: 100,
      maximum: 1_000_000,
      default: 5000,
    },
    defer_above_tokens: {
      kind: 'integer',
      description: 'With `lazy: auto`, up to this many tokens everything is shown.',
      minimum: 0,
      maximum: 10_000_000,
      default: 10_000,
    },
    pin: {
      kind: 'list',
      description: 'Tools that are always shown, by the names that agents see; `*` and `?` are wildcards.',
      default: [],
      takesOne: true,
      of: { kind: 'text', format: 'pattern', description: 'A name or pattern.' },
    },
    hold: {
      kind: 'duration',
      description:
        'How long a search waits, with `delivery: list`, until the client has read its list again. `0` does not wait.',
      minimum: 0,
      default: '3s',
    },
    inherit_active: {
      kind: 'boolean',
      description: 'Whether a sub-agent begins with the tools that its parent has found.',
      default: true,
    },
    clients: {
      kind: 'map',
      names: 'client',
      description: 'What differs for a client, by the name that it gives itself (`clientInfo.name`).',
      default: {},
      of: { kind: 'record', description: 'One client.', fields: { lazy, delivery } },
    },
    search_hints: {
      kind: 'map',
      names: 'tool',
      description:
        'Words by which a tool shall be found that it does not have itself, by the name that agents see.',
      default: {},
      of: {
        kind: 'list',
        description: 'Words or short sentences.',
        takesOne: true,
        of: { kind: 'text', format: 'any', description: 'Words by which the tool shall be found.' },
      },
    },
    synonyms: {
      kind: 'list',
      description: 'Words of yours that mean nearly the same in a search, beside those that are built in.',
      default: [],
      of: {
        kind: 'list',
        description: 'Words that stand for each other.',
        of: { kind: 'text', format: 'any', description: 'A word.' },
      },
    },
    embeddings: {
      kind: 'record',
      description:
        'A service that helps the search with meanings beside words, with the interface of OpenAI (`POST <url>/embeddings`). Without it: words alone, and nothing leaves this machine.',
      fields: {
        url: { kind: 'text', format: 'url', description: 'Its address, up to `/v1`.', required: true },
        model: { kind: 'text', format: 'any', description: 'The model to ask for.', required: true },
        key: {
          kind: 'text',
          format: 'any',
          description: 'The key that it wants, from the environment: `${EMBEDDINGS_KEY}`.',
        },
      },
    },
  },
});

/** The spelling of those who know lazy tools from elsewhere. */
export const toolsTable = defineRecord({
  kind: 'record',
  description: 'Another spelling of two keys of `surface`.',
  default: {},
  fields: {
    lazy_mcp: {
      kind: 'boolean',
      description: '`true` is `surface.lazy: on`, `false` is `surface.lazy: off`.',
    },
    max_active_schemas: {
      kind: 'integer',
      description: 'As `surface.max_active_schemas`.',
      minimum: 0,
      maximum: 1000,
    },
  },
});
