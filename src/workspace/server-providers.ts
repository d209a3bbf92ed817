import { createLineRedactor } from '../observers/log/index.js';
import {
  childStart,
  type Config,
  type Environment,
  type ServerConfig,
  serverRecordName,
  withNpxOutside,
  withPythonCache,
} from '../config/index.js';
import { createToolFilter, type Provider } from '../core/index.js';
import type { Processes } from '../ports/processes.js';
import { skeletonOf } from '../lib/deceptive-names.js';
import {
  type LoginFiles,
  type McpProviderOptions,
  openMcpProvider,
  type UpstreamMemory,
} from '../providers/mcp/index.js';
import { createSecretsRedactor, redactEach } from './plugins/plugin-secrets.js';
import { builtinTools } from './builtin-tools.generated.js';
import type { State } from './locate-config.js';
import { createStartHolds, withHold } from './start-holds.js';

export interface ServerParts {
  readonly env: Environment;
  readonly processes: Processes;
  /** Python bytecode cache. */
  readonly pythonCache: string;
  /** A folder that agents cannot write; used as the project folder of `npx`. */
  readonly ownFolder: string;
  readonly memory: UpstreamMemory;
  /** Checked before each start: the files a server runs must still be trusted. */
  readonly state: Pick<State, 'directory' | 'trust'>;
  readonly logins: LoginFiles;
  /** Whether login links can be completed, because the process keeps running. */
  readonly givesLinks: boolean;
  readonly version: string;
  readonly log: McpProviderOptions['log'];
}

/** Providers of the configured servers. Unchanged servers survive a reload. */
export interface ServerProviders {
  readonly current: () => readonly Provider[];
  /** Opens new servers, keeps unchanged ones, and returns removed ones for closing. */
  apply(config: Config, isTrusted: boolean): readonly Provider[];
}

export function createServerProviders(parts: ServerParts): ServerProviders {
  let open = new Map<string, Provider>();
  return {
    current: () => [...open.values()],
    apply(config, isTrusted) {
      const next = new Map<string, Provider>();
      for (const server of config.servers) {
        const key = JSON.stringify([server, config.workspace.roots, isTrusted]);
        next.set(key, open.get(key) ?? openServer(server, config, isTrusted, parts));
      }
      const gone = [...open].filter(([key]) => !next.has(key)).map(([, provider]) => provider);
      open = next;
      return gone;
    },
  };
}

function openServer(server: ServerConfig, config: Config, isTrusted: boolean, parts: ServerParts): Provider {
  const { env, state } = parts;
  const { trust } = state;
  const findHold = createStartHolds({ state, isLocked: () => config.workspace.isLocked !== false });
  const withoutSecrets = createSecretsRedactor(secretsIn(server, config.referenced ?? []));
  return openMcpProvider({
    name: server.name,
    transport: transportOf(server, config.workspace.roots, parts),
    // The environment is not part of the identity: a server's tools do not depend on the terminal.
    identity: JSON.stringify(server),
    prefix: server.prefix,
    reserved: ownNames,
    offers: createToolFilter(server.tools),
    timeoutMs: server.timeout,
    idleMs: server.idle,
    protocol: server.protocol,
    trusted: isTrusted,
    recheck: withHold(
      () => findHold(isOfServer(server, config)),
      async () => {
        const { serverRefusal } = await import('../config/started/index.js');
        return serverRefusal(server, { config, env, trust });
      },
    ),
    enabled: server.isEnabled,
    processes: parts.processes,
    memory: parts.memory,
    logins: parts.logins,
    givesLinks: parts.givesLinks,
    ...rootsOf(server),
    version: parts.version,
    createRedactor() {
      const byShape = createLineRedactor();
      // Remove known values first: after redaction by pattern, a partly removed value is not recognized.
      return (text) => byShape(withoutSecrets(text));
    },
    log: (level, message, fields) =>
      parts.log(level, message, { server: server.name, ...redactEach(fields, withoutSecrets) }),
  });
}

function isOfServer({ name }: ServerConfig, { file }: Config): (record: string) => boolean {
  if (file === undefined) return () => false;
  const own = serverRecordName(file, name);
  return (record) => record === own || record.startsWith(`${own} in `);
}

/** Built-in tool names by their visual form, to detect lookalikes. */
const ownNames: ReadonlyMap<string, string> = new Map(
  builtinTools.map(({ card }) => [skeletonOf(card.name), card.name]),
);

function rootsOf({ roots, takesCallerRoots }: ServerConfig): Pick<McpProviderOptions, 'roots'> {
  if (takesCallerRoots === true) return { roots: { kind: 'caller' } };
  return roots === undefined ? {} : { roots: { kind: 'folders', folders: roots } };
}

/** Values the operator gave to a server: variables, headers (also each word), and resolved references. */
function secretsIn(server: ServerConfig, referenced: readonly string[]): readonly string[] {
  if (server.kind === 'stdio') {
    // Other arguments are ordinary words that logs need.
    const given = referenced.filter((value) => server.args.some((arg) => arg.includes(value)));
    return [...Object.values(server.env), ...given];
  }
  const inUrl = referenced.filter((value) => server.url.includes(value));
  return [...Object.values(server.headers).flatMap((value) => [value, ...value.split(' ')]), ...inUrl];
}

/** Never uses Python bytecode that agents can write: caches are in the state directory. */
function transportOf(
  server: ServerConfig,
  roots: readonly string[],
  { env, pythonCache, ownFolder }: ServerParts,
): McpProviderOptions['transport'] {
  if (server.kind === 'http')
    return { kind: 'http', url: server.url, headers: server.headers, login: server.login ?? {} };
  const { cwd } = server;
  const { command, env: given } = childStart(server, env, roots);
  const start = withNpxOutside(
    { command, args: withPythonCache(command, server.args, pythonCache), cwd },
    { roots, env: given, folder: ownFolder },
  );
  return { kind: 'stdio', ...start, env: { PYTHONPYCACHEPREFIX: pythonCache, ...given } };
}
