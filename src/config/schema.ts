import { defineRecord, type ValueOf } from './field.js';
import { loginTable } from './login-schema.js';
import { surfaceTable, toolsTable } from './surface-schema.js';

const variables = {
  kind: 'map',
  names: 'variable',
  description:
    'Environment variables of the child process. It gets these, a minimal base (`PATH`, `HOME`, `LANG`, …) and nothing else.',
  default: {},
  of: { kind: 'text', format: 'any', takesScalars: true, description: 'The value of the variable.' },
} as const;

const headers = {
  kind: 'map',
  names: 'header',
  description: 'HTTP headers that go with every request.',
  default: {},
  of: { kind: 'text', format: 'header', takesScalars: true, description: 'The value of the header.' },
} as const;

const command = {
  kind: 'text',
  format: 'command',
  description:
    'The program to start as a stdio MCP server. With a slash in it, it is a path, relative to this file; otherwise it is looked up in `PATH`.',
} as const;

const commandArguments = {
  kind: 'list',
  description: 'Arguments of the command.',
  default: [],
  of: { kind: 'text', format: 'any', takesScalars: true, description: 'One argument.' },
} as const;

const workingDirectory = {
  kind: 'text',
  format: 'path',
  description:
    'Directory that the command runs in, relative to this file. Without it: the directory of this file.',
} as const;

const url = {
  kind: 'text',
  format: 'url',
  description: 'Address of an MCP server that speaks Streamable HTTP.',
} as const;

/** One entry of `servers`. */
export const serverTable = defineRecord({
  kind: 'record',
  description: 'One upstream MCP server: either a `command` to start or a `url` to call.',
  exactlyOne: ['command', 'url'],
  hints: {
    type: 'Remove it: `command` or `url` says which kind of server this is.',
    transport: 'Remove it: `command` or `url` says which kind of server this is.',
    disabled: 'Write `enabled: false` instead.',
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
      format: 'prefix',
      description:
        'What stands before the names of this server’s tools. Without it: the name of the server and `_`. `""` leaves the names as they are.',
    },
    tools: {
      kind: 'list',
      description:
        'Which of the server’s tools are offered, by the names that the server gives them; `*` and `?` are wildcards. An entry with `!` takes away, wherever it stands; if there are only such entries, they take away from all tools.',
      default: ['*'],
      of: {
        kind: 'text',
        format: 'pattern',
        description: 'A name or pattern, with `!` before it to take away.',
      },
    },
    enabled: { kind: 'boolean', description: 'Whether the server is used at all.', default: true },
    timeout: {
      kind: 'duration',
      description: 'How long one call may take: milliseconds, or a text like `60s` or `2m`.',
      minimum: 1,
      default: '60s',
    },
    idle: {
      kind: 'duration',
      description: 'How long an unused server keeps running or connected. `0` means for ever.',
      minimum: 0,
      default: '10m',
    },
    protocol: {
      kind: 'choice',
      description:
        'Which era of the protocol to speak with the server: `legacy` (up to 2025-11-25), `modern` (2026-07-28), or `auto` to find out.',
      choices: ['auto', 'legacy', 'modern'],
      default: 'auto',
    },
    lazy: {
      kind: 'boolean',
      description:
        'Whether the tools of this server are left out of the list until they are searched for. Without it: as `surface.lazy` says.',
    },
  },
});

const foreignServer = defineRecord({
  kind: 'record',
  description:
    'One upstream MCP server as other programs write it. Keys that Tidegate does not know are let pass; settings that only Tidegate has need an entry under `servers`.',
  isOpen: true,
  exactlyOne: ['command', 'url'],
  fields: {
    type: {
      kind: 'choice',
      description: 'How to reach the server. Without it: `stdio` for a command, Streamable HTTP for a url.',
      choices: ['stdio', 'http', 'streamable-http'],
      unsupported: {
        sse: {
          message: 'The SSE transport is not supported: use Streamable HTTP.',
          remedy:
            'Write `type: http` with the server’s Streamable HTTP address, often the one that ends in /mcp.',
        },
      },
    },
    command,
    args: commandArguments,
    env: variables,
    cwd: workingDirectory,
    url,
    headers,
    disabled: { kind: 'boolean', description: 'Whether the server is left out.', default: false },
  },
});

/** The one description of `tidegate.yaml`. Reading, JSON Schema and reference page derive from it. */
export const configTable = defineRecord({
  kind: 'record',
  description: 'Configuration of Tidegate.',
  default: {},
  fields: {
    $schema: {
      kind: 'text',
      format: 'any',
      description: 'Address of the JSON Schema, for editors. Not used.',
    },
    servers: {
      kind: 'map',
      names: 'server',
      description: 'Upstream MCP servers by name. Letters, digits, `_`, `.` and `-`, at most 64.',
      default: {},
      of: serverTable,
    },
    mcpServers: {
      kind: 'map',
      names: 'server',
      description: 'Upstream MCP servers in the spelling of `.mcp.json`, read as they are.',
      default: {},
      of: foreignServer,
    },
    builtins: {
      kind: 'list',
      description:
        "Which of Tidegate's own tools are offered: exact names or patterns (`*`, `?`); `!` takes away. `[]` offers none.",
      default: ['*'],
      of: { kind: 'text', format: 'pattern', description: 'A name or pattern.' },
    },
    workspace: {
      kind: 'record',
      description: 'The files that the work is about.',
      default: {},
      fields: {
        roots: {
          kind: 'list',
          description:
            'Directories of the workspace, relative to this file. Without it: the directory of this file.',
          of: { kind: 'text', format: 'path', description: 'A directory.' },
        },
      },
    },
    http: {
      kind: 'record',
      description: 'Where `tidegate serve` listens.',
      default: {},
      fields: {
        port: {
          kind: 'integer',
          description: 'TCP port. `0` takes any free one.',
          minimum: 0,
          maximum: 65_535,
          default: 7331,
        },
        host: {
          kind: 'text',
          format: 'host',
          description: 'Address to listen on. Anything but a loopback address lets other machines in.',
          default: '127.0.0.1',
        },
        auth: {
          kind: 'choice',
          description:
            'Who may come in: holders of the bearer `token`, or with `none` everybody who reaches the port, as the operator. `none` is allowed on a loopback host only.',
          choices: ['token', 'none'],
          default: 'token',
        },
      },
    },
    log: {
      kind: 'record',
      description: 'The structured log: one line for each attempt to call something.',
      default: {},
      fields: {
        level: {
          kind: 'choice',
          description: 'The least important lines that are still written.',
          choices: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
          default: 'info',
        },
        file: {
          kind: 'text',
          format: 'path',
          description: 'File to write to, relative to this file. Without it: stderr.',
        },
      },
    },
    store: {
      kind: 'record',
      description: 'Where grants, tokens and the audit record are kept.',
      default: {},
      fields: {
        kind: {
          kind: 'choice',
          description:
            '`sqlite`: a file, which several processes of one machine may share. `postgres`: a database, for several machines. `memory`: nothing outlives the process.',
          choices: ['sqlite', 'postgres', 'memory'],
          default: 'sqlite',
        },
        file: {
          kind: 'text',
          format: 'path',
          description:
            'The file of `sqlite`, relative to this file. Without it: `state.db` in the state directory.',
        },
        url: {
          kind: 'text',
          format: 'database',
          description:
            'Address of the `postgres` database, `postgres://user@host/name`. Take one with a password from the environment: `${DATABASE_URL}`.',
        },
      },
    },
    access: {
      kind: 'record',
      description: 'Who may see and call what.',
      default: {},
      fields: {
        zone: {
          kind: 'text',
          format: 'name',
          description:
            'The zone that this gate belongs to. Grants, tokens and audit records of one zone do not exist in another.',
          default: 'local',
        },
        default_profile: {
          kind: 'text',
          format: 'name',
          description:
            'The profile of a principal that has none; `none` gives nothing. It wins over what the file of profiles says.',
        },
        audit_keep: {
          kind: 'integer',
          description:
            'For how many days records of calls, refusals and changes are kept. A running gate removes what is older, a little at a time. `0` keeps them for ever.',
          minimum: 0,
          maximum: 36_500,
          default: 90,
        },
        profiles: {
          kind: 'text',
          format: 'path',
          description:
            'The file of profiles, relative to this file. Without it: `.tidegate/profiles.yaml`, `.tidegate/tool_profiles.yaml` or `tool_profiles.yaml` beside this file, and the shipped profiles where there is none.',
        },
        model: {
          kind: 'text',
          format: 'path',
          description:
            'A file that extends the authorization model, relative to this file. Without it: `.tidegate/model.fga` beside this file, where there is one.',
        },
      },
    },
    surface: surfaceTable,
    tools: toolsTable,
    telemetry: {
      kind: 'record',
      description: 'OpenTelemetry traces. Without it nothing is traced and nothing is loaded.',
      fields: {
        endpoint: {
          kind: 'text',
          format: 'url',
          description: 'Address that traces are sent to with OTLP over HTTP, with its path (`/v1/traces`).',
          required: true,
        },
        headers,
        service_name: {
          kind: 'text',
          format: 'any',
          description: 'The `service.name` of the traces.',
          default: 'tidegate',
        },
      },
    },
  },
});

/** What a file says by the table, before paths are resolved and the two spellings of servers are joined. */
export type ConfigValues = ValueOf<typeof configTable>;
