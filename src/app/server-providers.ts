import { createLineRedactor } from '../concerns/log/index.js';
import { childEnvironment, type Config, type Environment, type ServerConfig } from '../config/index.js';
import { createToolFilter, type Processes, type Provider } from '../kernel/index.js';
import {
  type LoginFiles,
  type McpProviderOptions,
  openMcpProvider,
  type UpstreamMemory,
} from '../providers/mcp/index.js';

export interface ServerParts {
  readonly env: Environment;
  readonly processes: Processes;
  readonly memory: UpstreamMemory;
  readonly logins: LoginFiles;
  /** Whether somebody may still come back from a browser. */
  readonly givesLinks: boolean;
  readonly version: string;
  readonly log: McpProviderOptions['log'];
}

/** The providers of the configured servers, kept over a reload where nothing about them changed. */
export interface ServerProviders {
  readonly current: () => readonly Provider[];
  /** Opens what is new, keeps what is the same, and gives back what is no longer wanted, for closing. */
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
        next.set(key, open.get(key) ?? openServer(server, config.workspace.roots, isTrusted, parts));
      }
      const gone = [...open].filter(([key]) => !next.has(key)).map(([, provider]) => provider);
      open = next;
      return gone;
    },
  };
}

function openServer(
  server: ServerConfig,
  roots: readonly string[],
  isTrusted: boolean,
  parts: ServerParts,
): Provider {
  return openMcpProvider({
    name: server.name,
    transport: transportOf(server, parts.env),
    // What a server offers does not depend on the terminal it is started from.
    identity: JSON.stringify(server),
    prefix: server.prefix,
    offers: createToolFilter(server.tools),
    timeoutMs: server.timeout,
    idleMs: server.idle,
    protocol: server.protocol,
    trusted: isTrusted,
    enabled: server.isEnabled,
    processes: parts.processes,
    memory: parts.memory,
    logins: parts.logins,
    givesLinks: parts.givesLinks,
    roots,
    version: parts.version,
    createRedactor: createLineRedactor,
    log: (level, message, fields) => parts.log(level, message, { server: server.name, ...fields }),
  });
}

function transportOf(server: ServerConfig, env: Environment): McpProviderOptions['transport'] {
  if (server.kind === 'http')
    return { kind: 'http', url: server.url, headers: server.headers, login: server.login ?? {} };
  const { command, args, cwd } = server;
  return { kind: 'stdio', command, args, cwd, env: childEnvironment(env, server.env) };
}
