import type { ValueOf } from '../../lib/schema-table/field.js';
import { defineClassified } from '../field.js';

const text = { kind: 'text', format: 'any', takesScalars: true } as const;

/** One entry of `plugins.yaml`. */
export const pluginTable = defineClassified({
  kind: 'record',
  description: 'One plugin.',
  fields: {
    type: {
      kind: 'choice',
      risk: 'none',
      description:
        '`grpc` is a program that uses the plugin protocol. `mcp` is an MCP server that is exposed like a plugin.',
      choices: ['grpc', 'mcp'],
      default: 'grpc',
    },
    path: {
      kind: 'text',
      risk: 'starts',
      format: 'path',
      description:
        'For `grpc`: the plugin folder, which contains `plugin.yaml`, or the plugin program, relative to this file.',
    },
    command: {
      kind: 'list',
      risk: 'starts',
      description:
        'The program and its arguments. If the program contains a slash, it is a path relative to this file; otherwise it is looked up in `PATH`.',
      takesOne: true,
      of: { ...text, description: 'The program, then one argument per entry.' },
    },
    url: {
      kind: 'text',
      risk: 'sends',
      format: 'url',
      description: 'For `mcp`: URL of a server that uses Streamable HTTP.',
    },
    headers: {
      kind: 'map',
      risk: 'sends',
      names: 'header',
      description: 'HTTP headers to send with every request.',
      default: {},
      of: { kind: 'text', format: 'header', takesScalars: true, description: 'The value of the header.' },
    },
    env: {
      kind: 'map',
      risk: 'starts',
      names: 'variable',
      description:
        'Environment variables for the program, in addition to a minimal base (`PATH`, `HOME`, `LANG`, …). It gets no other variables.',
      default: {},
      of: { ...text, description: 'The value. `${NAME}` passes on a variable of the gateway.' },
    },
    config: {
      kind: 'map',
      risk: 'starts',
      names: 'variable',
      description: 'Settings passed to the plugin when it starts, by the names that its manifest declares.',
      default: {},
      of: { ...text, description: 'The value.' },
    },
    checksum: {
      ...text,
      risk: 'defence',
      description:
        'SHA-256 of the program, as `sha256:…`. A program with a different hash is rejected, even if it is trusted.',
    },
    expose: {
      kind: 'list',
      risk: 'access',
      description:
        'Operations to offer as tools, by the names the plugin uses. `*` and `?` are wildcards. Put `!` in front to exclude.',
      default: ['*'],
      of: { kind: 'text', format: 'pattern', description: 'A name or pattern.' },
    },
    mtls: {
      kind: 'boolean',
      risk: 'defence',
      description:
        'Whether the gateway and the plugin authenticate each other with mutual TLS. Use `false` only for debugging.',
      default: true,
    },
    enabled: {
      kind: 'boolean',
      risk: 'none',
      description: 'Whether to use the plugin.',
      default: true,
    },
    timeout: {
      kind: 'duration',
      risk: 'none',
      description: 'Time limit for one call, in milliseconds or as a string such as `60s` or `2m`.',
      minimum: 1,
      default: '60s',
    },
  },
});

/** Defines every key of `plugins.yaml`. */
export const pluginsTable = defineClassified({
  kind: 'record',
  description: 'Plugins of this workspace.',
  default: {},
  fields: {
    $schema: {
      ...text,
      risk: 'none',
      description: 'URL of the JSON Schema, for editors. Tidegate ignores it.',
    },
    plugins: {
      kind: 'map',
      names: 'server',
      description: 'Plugins by name. An entry overrides a plugin folder with the same name.',
      default: {},
      of: pluginTable,
    },
  },
});

export type PluginsValues = ValueOf<typeof pluginsTable>;
export type PluginEntry = PluginsValues['plugins'] extends ReadonlyMap<string, infer V> ? V : never;
