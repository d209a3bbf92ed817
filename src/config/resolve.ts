import { join, resolve, sep } from 'node:path';
import type { Config, HttpServerConfig, LoginConfig, ServerConfig, StdioServerConfig } from './config.js';
import { bareHost, isLoopbackHost } from './formats.js';
import { type ReadInputs, readTree } from './read-tree.js';
import type { ConfigValues } from './schema.js';
import { serverTable } from './server-schema.js';
import { emptyMap } from '../lib/tree.js';

export interface ResolveParts {
  /** Where relative paths start, and where commands run. */
  readonly directory: string;
  readonly home: string;
  /** The default workspace root. */
  readonly workspace: string;
  readonly file?: string;
  /** Leave paths with references unresolved. */
  readonly asWritten?: boolean;
  /** Servers with errors are left out. */
  readonly isSound: (section: ServerSection, name: string) => boolean;
  readonly sections: readonly ServerSection[];
  /** The values of references in the file. */
  readonly referenced?: readonly string[];
}

export type ServerSection = 'servers' | 'mcpServers';

/** The configuration as the rest of the program sees it. */
export function resolveConfig(values: ConfigValues, parts: ResolveParts): Config {
  const { access, builtins, http, log, store, telemetry, workspace } = values;
  return deepFreeze({
    servers: parts.sections.flatMap((section) => serversOf(section, values, parts)),
    builtins,
    workspace: {
      roots: workspace.roots?.map((root) => absolute(root, parts)) ?? [parts.workspace],
      isLocked: workspace.lock_trusted,
    },
    shell: shellOf(values, parts),
    unsandboxedWorkflows: [...values.workflows].flatMap(([name, { sandbox }]) =>
      sandbox === 'off' ? [name] : [],
    ),
    http: httpOf(http),
    log: { level: log.level, ...(log.file === undefined ? {} : { file: absolute(log.file, parts) }) },
    store: storeOf(store, parts),
    access: {
      zone: access.zone,
      auditKeep: access.audit_keep,
      ...(access.default_profile !== undefined && { defaultProfile: access.default_profile }),
      ...(access.profiles !== undefined && { profiles: absolute(access.profiles, parts) }),
      ...(access.model !== undefined && { model: absolute(access.model, parts) }),
    },
    context: contextOf(values),
    ...(telemetry === undefined
      ? {}
      : {
          telemetry: {
            endpoint: telemetry.endpoint,
            headers: plain(telemetry.headers),
            serviceName: telemetry.service_name,
          },
        }),
    ...(parts.referenced !== undefined && parts.referenced.length > 0 && { referenced: parts.referenced }),
    ...(parts.file === undefined ? {} : { file: parts.file }),
  });
}

function shellOf({ shell }: ConfigValues, parts: ResolveParts): Config['shell'] {
  const { limits, unix_sockets, sandbox, network, writable } = shell;
  const { memory, processes, open_files: openFiles, cpu_seconds: cpuSeconds } = limits;
  return {
    limits: { memory, processes, openFiles, cpuSeconds },
    hasUnixSockets: unix_sockets,
    sandbox,
    hasNetwork: network,
    writable: writable.map((path) => absolute(path, parts)),
  };
}

/** With zero active tools, deferred tools could never be called, so lazy tools are turned off. */
function contextOf({ context, tools }: ConfigValues): Config['context'] {
  const { embeddings } = context;
  const maxActiveSchemas = tools.max_active_schemas ?? context.max_active_schemas;
  const lazy = tools.lazy_mcp === undefined ? context.lazy : tools.lazy_mcp ? 'on' : 'off';
  return {
    lazy: maxActiveSchemas === 0 ? 'off' : lazy,
    delivery: context.delivery,
    maxActiveSchemas,
    maxActiveTokens: context.max_active_tokens,
    deferAboveTokens: context.defer_above_tokens,
    pin: context.pin,
    hold: context.hold,
    inheritActive: context.inherit_active,
    clients: Object.fromEntries([...context.clients].map(([name, own]) => [name, present(own)])),
    searchHints: Object.fromEntries(context.search_hints),
    synonyms: context.synonyms,
    ...(embeddings && {
      embeddings: {
        url: embeddings.url,
        model: embeddings.model,
        ...(embeddings.key !== undefined && { key: embeddings.key }),
      },
    }),
  };
}

function present<T extends object>(values: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { readonly [K in keyof T]?: Exclude<T[K], undefined> };
}

// `checkRules` reports this. Force `token` anyway, in case the report is ignored.
function httpOf({ port, host, auth }: ConfigValues['http']): Config['http'] {
  return { port, host: bareHost(host), auth: isLoopbackHost(host) ? auth : 'token' };
}

// `checkRules` reports keys that are missing or not allowed for the kind.
function storeOf({ kind, file, url }: ConfigValues['store'], parts: ResolveParts): Config['store'] {
  if (kind === 'postgres') return { kind, url: url ?? '' };
  return kind === 'memory' || file === undefined ? { kind } : { kind, file: absolute(file, parts) };
}

type Server = ConfigValues['servers'] extends ReadonlyMap<string, infer V> ? V : never;
type ForeignServer = ConfigValues['mcpServers'] extends ReadonlyMap<string, infer V> ? V : never;

function serversOf(
  section: ServerSection,
  values: ConfigValues,
  parts: ResolveParts,
): readonly ServerConfig[] {
  const entries =
    section === 'servers'
      ? [...values.servers]
      : [...values.mcpServers].map(([name, own]) => [name, adopt(own)] as const);
  return entries
    .filter(([name]) => parts.isSound(section, name))
    .flatMap(([name, server]) => serverOf(name, server, parts) ?? []);
}

const silent: ReadInputs = { text: '', environment: {}, report: () => undefined };

// Settings that `mcpServers` lacks get the defaults of `servers`.
function adopt(server: ForeignServer): Server {
  const { type: _, disabled, ...same } = server;
  return { ...readTree(serverTable, emptyMap, silent), ...same, enabled: !disabled };
}

function serverOf(name: string, server: Server, parts: ResolveParts): ServerConfig | undefined {
  const { command, url } = server;
  const common = {
    name,
    prefix: server.prefix ?? `${name}_`,
    tools: server.tools,
    isEnabled: server.enabled,
    timeout: server.timeout,
    idle: server.idle,
    protocol: server.protocol,
    ...(server.roots !== undefined && { roots: server.roots.map((root) => absolute(root, parts)) }),
    ...(server.caller_roots && { takesCallerRoots: true }),
    ...(server.lazy !== undefined && { isLazy: server.lazy }),
  };
  if (command !== undefined) {
    const cwd = server.cwd === undefined ? parts.directory : absolute(server.cwd, parts);
    const program = isPath(command) ? absolute(command, parts) : command;
    return {
      ...common,
      kind: 'stdio',
      command: program,
      args: server.args,
      env: plain(server.env),
      cwd,
    } satisfies StdioServerConfig;
  }
  if (url === undefined) return undefined;
  const login = server.login === undefined ? {} : { login: loginOf(server.login) };
  return {
    ...common,
    kind: 'http',
    url,
    headers: plain(server.headers),
    ...login,
  } satisfies HttpServerConfig;
}

function loginOf(own: NonNullable<Server['login']>): LoginConfig {
  const { client_id, client_secret, client_document, issuer, scopes, port } = own;
  return {
    port,
    ...(client_id !== undefined && { clientId: client_id }),
    ...(client_secret !== undefined && { clientSecret: client_secret }),
    ...(client_document !== undefined && { clientDocument: client_document }),
    ...(issuer !== undefined && { issuer }),
    ...(scopes !== undefined && { scopes }),
  };
}

function isPath(command: string): boolean {
  return command.includes('/') || command.includes(sep);
}

function absolute(path: string, { directory, home, asWritten }: ResolveParts): string {
  if (asWritten === true && path.includes('${')) return path;
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return resolve(directory, path);
}

function plain(map: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries(map);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
