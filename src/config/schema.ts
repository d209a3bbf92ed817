import type { ValueOf } from '../lib/schema-table/field.js';
import { defineClassified } from './field.js';
import { foreignServer, headers, serverTable } from './server-schema.js';
import { shellTable, workflowsTable } from './shell-schema.js';
import { contextTable, toolsTable } from './tools-schema.js';

/** Defines every key of `tidegate.yaml`. The reader, the JSON Schema and the reference page derive from it. */
export const configTable = defineClassified({
  kind: 'record',
  description: 'The Tidegate configuration.',
  default: {},
  fields: {
    $schema: {
      kind: 'text',
      risk: 'none',
      format: 'any',
      description: 'URL of the JSON Schema, for editors. Tidegate ignores it.',
    },
    servers: {
      kind: 'map',
      names: 'server',
      description: 'Upstream MCP servers by name. A name has up to 64 letters, digits, `_`, `.` and `-`.',
      default: {},
      of: serverTable,
    },
    mcpServers: {
      kind: 'map',
      names: 'server',
      description: 'Upstream MCP servers in the format of `.mcp.json`, so you can paste existing entries.',
      default: {},
      of: foreignServer,
    },
    builtins: {
      kind: 'list',
      risk: 'access',
      description:
        'Built-in tools to offer, as names or patterns with `*` and `?`. Put `!` in front to exclude. `[]` offers none.',
      default: ['*'],
      of: { kind: 'text', format: 'pattern', description: 'A name or pattern.' },
    },
    workspace: {
      kind: 'record',
      description: 'The files that agents work on.',
      default: {},
      fields: {
        roots: {
          kind: 'list',
          risk: 'files',
          description:
            'Workspace directories, relative to this file. Defaults to the directory of this file.',
          of: { kind: 'text', format: 'path', description: 'A directory.' },
        },
        lock_trusted: {
          kind: 'boolean',
          risk: 'defence',
          description:
            'Stops agents from changing files that you have trusted to run: files of servers, plugins and workflows with `sandbox: off`, and files that workspace tools import. With `false`, agents can change them, and you have to run `tidegate trust` again after a change; a file that changes while a program is loading it can still run.',
          default: true,
        },
      },
    },
    shell: shellTable,
    workflows: workflowsTable,
    http: {
      kind: 'record',
      description: 'The HTTP listener of `tidegate serve`.',
      default: {},
      fields: {
        port: {
          kind: 'integer',
          risk: 'none',
          description: 'TCP port. `0` picks any free port.',
          minimum: 0,
          maximum: 65_535,
          default: 7331,
        },
        host: {
          kind: 'text',
          risk: 'defence',
          format: 'host',
          description: 'Address to listen on. Other machines can connect unless it is a loopback address.',
          default: '127.0.0.1',
        },
        auth: {
          kind: 'choice',
          risk: 'defence',
          description:
            'How clients authenticate. `token` requires a bearer token. `none` treats everyone who can reach the port as the operator, and is allowed only on a loopback host.',
          choices: ['token', 'none'],
          default: 'token',
        },
      },
    },
    log: {
      kind: 'record',
      description: 'The structured log. It has one line per attempted call.',
      default: {},
      fields: {
        level: {
          kind: 'choice',
          risk: 'defence',
          description: 'The lowest level to log.',
          choices: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
          default: 'info',
        },
        file: {
          kind: 'text',
          risk: 'files',
          format: 'path',
          description: 'Log file, relative to this file. Defaults to stderr.',
        },
      },
    },
    store: {
      kind: 'record',
      description: 'Where grants, tokens and the audit log are stored.',
      default: {},
      fields: {
        kind: {
          kind: 'choice',
          risk: 'access',
          description:
            '`sqlite` uses a file that several processes on one machine can share. `postgres` uses a database that several machines can share. `memory` keeps nothing after the process ends.',
          choices: ['sqlite', 'postgres', 'memory'],
          default: 'sqlite',
        },
        file: {
          kind: 'text',
          risk: 'access',
          format: 'path',
          description: 'SQLite file, relative to this file. Defaults to `state.db` in the state directory.',
        },
        url: {
          kind: 'text',
          risk: 'access',
          format: 'database',
          description:
            'URL of the PostgreSQL database, such as `postgres://user@host/name`. If it has a password, take it from the environment: `${DATABASE_URL}`.',
        },
      },
    },
    access: {
      kind: 'record',
      description: 'Who can see and call which tools.',
      default: {},
      fields: {
        zone: {
          kind: 'text',
          risk: 'access',
          format: 'name',
          description:
            'Zone of this gateway. Grants, tokens and audit records in one zone do not exist in another.',
          default: 'local',
        },
        default_profile: {
          kind: 'text',
          risk: 'access',
          format: 'name',
          description:
            'Profile for principals that have no profile assigned. `none` gives no access. Overrides `default_profile` in the profiles file.',
        },
        audit_keep: {
          kind: 'integer',
          risk: 'defence',
          description:
            'Days to keep audit records of calls, refusals and changes. A running gateway deletes older records in small batches. `0` keeps them forever.',
          minimum: 0,
          maximum: 36_500,
          default: 90,
        },
        profiles: {
          kind: 'text',
          risk: 'access',
          format: 'path',
          description:
            'Profiles file, relative to this file. Defaults to `.tidegate/profiles.yaml`, `.tidegate/tool_profiles.yaml` or `tool_profiles.yaml` next to this file, or to the built-in profiles if none of them exists.',
        },
        model: {
          kind: 'text',
          risk: 'access',
          format: 'path',
          description:
            'File that extends the authorization model, relative to this file. Defaults to `.tidegate/model.fga` next to this file, if it exists.',
        },
      },
    },
    context: contextTable,
    tools: toolsTable,
    telemetry: {
      kind: 'record',
      description:
        'OpenTelemetry tracing. Without this key, nothing is traced and no tracing code is loaded.',
      fields: {
        endpoint: {
          kind: 'text',
          risk: 'sends',
          format: 'url',
          description: 'OTLP/HTTP endpoint for traces, including the path (`/v1/traces`).',
          required: true,
        },
        headers,
        service_name: {
          kind: 'text',
          risk: 'none',
          format: 'any',
          description: 'The `service.name` attribute of the traces.',
          default: 'tidegate',
        },
      },
    },
  },
});

/** The values of a file, before paths are resolved and `servers` and `mcpServers` are merged. */
export type ConfigValues = ValueOf<typeof configTable>;
