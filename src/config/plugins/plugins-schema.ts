import { defineRecord, type ValueOf } from '../field.js';

const text = { kind: 'text', format: 'any', takesScalars: true } as const;

const plugin = defineRecord({
  kind: 'record',
  description: 'One plugin.',
  fields: {
    type: {
      kind: 'choice',
      description:
        '`grpc`: a program that speaks the plugin protocol. `mcp`: an MCP server, exposed in the same way.',
      choices: ['grpc', 'mcp'],
      default: 'grpc',
    },
    path: {
      kind: 'text',
      format: 'path',
      description:
        'Of `grpc`: the folder of the plugin, with its `plugin.yaml`, or its program; relative to this file.',
    },
    command: {
      kind: 'list',
      description:
        'The program and its arguments. With a slash in it, the program is a path, relative to this file; otherwise it is looked up in `PATH`.',
      takesOne: true,
      of: { ...text, description: 'The program, then one argument each.' },
    },
    url: {
      kind: 'text',
      format: 'url',
      description: 'Of `mcp`: the address of a server that speaks Streamable HTTP.',
    },
    headers: {
      kind: 'map',
      names: 'header',
      description: 'HTTP headers that go with every request.',
      default: {},
      of: { kind: 'text', format: 'header', takesScalars: true, description: 'The value of the header.' },
    },
    env: {
      kind: 'map',
      names: 'variable',
      description:
        'Environment variables of the program. It gets these, a minimal base (`PATH`, `HOME`, `LANG`, …) and nothing else.',
      default: {},
      of: { ...text, description: 'The value; `${NAME}` passes on one of ours.' },
    },
    config: {
      kind: 'map',
      names: 'variable',
      description: 'What the plugin is told at its start, by the names that its manifest declares.',
      default: {},
      of: { ...text, description: 'The value.' },
    },
    checksum: {
      ...text,
      description: 'SHA-256 of the program, as `sha256:…`: another one is refused, trusted or not.',
    },
    expose: {
      kind: 'list',
      description:
        'Which operations become tools, by the plugin’s own names for them; `*` and `?` are wildcards, `!` takes away.',
      default: ['*'],
      of: { kind: 'text', format: 'pattern', description: 'A name or pattern.' },
    },
    mtls: {
      kind: 'boolean',
      description:
        'Whether gate and plugin prove themselves to each other over TLS. `false` is for finding out why something does not work.',
      default: true,
    },
    enabled: { kind: 'boolean', description: 'Whether the plugin is used at all.', default: true },
    timeout: {
      kind: 'duration',
      description: 'How long one call may take: milliseconds, or a text like `60s` or `2m`.',
      minimum: 1,
      default: '60s',
    },
  },
});

/** The one description of `plugins.yaml`. */
export const pluginsTable = defineRecord({
  kind: 'record',
  description: 'Plugins that this workspace uses.',
  default: {},
  fields: {
    $schema: { ...text, description: 'Address of the JSON Schema, for editors. Not used.' },
    plugins: {
      kind: 'map',
      names: 'server',
      description: 'Plugins by name. An entry wins over a folder of the same name.',
      default: {},
      of: plugin,
    },
  },
});

export type PluginsValues = ValueOf<typeof pluginsTable>;
export type PluginEntry = PluginsValues['plugins'] extends ReadonlyMap<string, infer V> ? V : never;
