import { defineRecord } from './field.js';
import { loginTable } from './login-schema.js';

const variables = {
  kind: 'map',
  risk: 'starts',
  names: 'variable',
  description:
    'Environment variables for the child process, in addition to a minimal base (`PATH`, `HOME`, `LANG`, …). It gets no other variables.',
  default: {},
  of: { kind: 'text', format: 'any', takesScalars: true, description: 'The value of the variable.' },
} as const;

export const headers = {
  kind: 'map',
  risk: 'sends',
  names: 'header',
  description: 'HTTP headers to send with every request.',
  default: {},
  of: { kind: 'text', format: 'header', takesScalars: true, description: 'The value of the header.' },
} as const;

const command = {
  kind: 'text',
  risk: 'starts',
  format: 'command',
  description:
    'Program to start as a stdio MCP server. If it contains a slash, it is a path relative to this file; otherwise it is looked up in `PATH`.',
} as const;

const commandArguments = {
  kind: 'list',
  risk: 'starts',
  description: 'Arguments for the command.',
  default: [],
  of: { kind: 'text', format: 'any', takesScalars: true, description: 'One argument.' },
} as const;

const workingDirectory = {
  kind: 'text',
  risk: 'starts',
  format: 'path',
  description:
    'Working directory of the command, relative to this file. Defaults to the directory of this file.',
} as const;

const url = {
  kind: 'text',
  risk: 'sends',
  format: 'url',
  description: 'URL of an MCP server that uses Streamable HTTP.',
} as const;

/** One entry of `servers`. */
export const serverTable = defineRecord({
  kind: 'record',
  description: 'One upstream MCP server: either a `command` to start or a `url` to connect to.',
  exactlyOne: ['command', 'url'],
  hints: {
    type: 'Remove it. `command` or `url` already determines the transport.',
    transport: 'Remove it. `command` or `url` already determines the transport.',
    disabled: 'Use `enabled: false` instead.',
  },
  fields: {
    command,
    args: { ...commandArguments, beside: 'command' },
    env: { ...variables, beside: 'command' },
    cwd: { ...workingDirectory, beside: 'command' },
    url,
    headers: { ...headers, beside: 'url' },
    login: { ...loginTable, beside: 'url' },
    prefix: {
      kind: 'text',
      risk: 'access',
      format: 'prefix',
      description:
        'Prefix for the names of the server’s tools. Defaults to the server name and `_`. `""` adds no prefix.',
    },
    tools: {
      kind: 'list',
      risk: 'access',
      description:
        'Tools of the server to offer, by the names the server uses. `*` and `?` are wildcards. An entry that starts with `!` excludes tools, wherever it is in the list. If all entries start with `!`, all other tools are offered.',
      default: ['*'],
      of: {
        kind: 'text',
        format: 'pattern',
        description: 'A name or pattern. Put `!` in front to exclude it.',
      },
    },
    enabled: {
      kind: 'boolean',
      risk: 'none',
      description: 'Whether to use the server.',
      default: true,
    },
    timeout: {
      kind: 'duration',
      risk: 'none',
      description: 'Time limit for one call, in milliseconds or as a string such as `60s` or `2m`.',
      minimum: 1,
      default: '60s',
    },
    idle: {
      kind: 'duration',
      risk: 'none',
      description: 'How long an idle server keeps running or stays connected. `0` means forever.',
      minimum: 0,
      default: '10m',
    },
    protocol: {
      kind: 'choice',
      risk: 'none',
      description:
        'MCP protocol version to use with the server: `legacy` (up to 2025-11-25), `modern` (2026-07-28), or `auto` to detect it.',
      choices: ['auto', 'legacy', 'modern'],
      default: 'auto',
    },
    roots: {
      kind: 'list',
      risk: 'files',
      description:
        'Folders to return when the server asks for roots, relative to this file. All sessions share them. Many servers, such as server-filesystem, use these instead of the folders in their arguments. Without it, Tidegate does not offer roots to the server.',
      of: { kind: 'text', format: 'path', description: 'A directory.' },
    },
    caller_roots: {
      kind: 'boolean',
      risk: 'files',
      description:
        'Whether a server with protocol version 2026-07-28 gets the roots of the caller, for that call only. A caller can name any folder, so the server must not rely on them for security. Servers with earlier protocol versions never get the roots of a caller. Overrides `roots`.',
      default: false,
    },
    lazy: {
      kind: 'boolean',
      risk: 'none',
      description:
        'Whether to hide the tools of this server from the tool list until a search finds them. Overrides `context.lazy`.',
    },
  },
});

/** One entry of `mcpServers`. */
export const foreignServer = defineRecord({
  kind: 'record',
  description:
    'One upstream MCP server in the format that other programs use. Unknown keys are ignored. To use settings that only Tidegate has, add the server under `servers` instead.',
  unknownKeys: 'accept',
  exactlyOne: ['command', 'url'],
  fields: {
    type: {
      kind: 'choice',
      risk: 'none',
      description:
        'Transport of the server. Defaults to `stdio` with `command` and to Streamable HTTP with `url`.',
      choices: ['stdio', 'http', 'streamable-http'],
      unsupported: {
        sse: {
          message: 'The SSE transport is not supported.',
          remedy: 'Set `type: http` and use the server’s Streamable HTTP URL, which often ends in /mcp.',
        },
      },
    },
    command,
    args: commandArguments,
    env: variables,
    cwd: workingDirectory,
    url,
    headers,
    disabled: {
      kind: 'boolean',
      risk: 'none',
      description: 'Whether to ignore the server.',
      default: false,
    },
  },
});
