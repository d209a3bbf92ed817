import type { Provider } from '../core/index.js';
import { openFileMemory } from '../providers/mcp/index.js';
import type { Log } from '../ports/log.js';
import type { Processes } from '../ports/processes.js';
import { openLateProcesses } from '../workspace/late-processes.js';
import { openLogins } from '../workspace/login-files.js';
import { openLatePlugins } from '../workspace/plugins/late-plugins.js';
import { pythonCacheIn } from '../workspace/python-cache.js';
import { createServerProviders, type ServerProviders } from '../workspace/server-providers.js';
import { type LocalTools, type LocalToolsParts, openLocalTools } from './local-tools.js';
import type { Start } from './read-start.js';

export interface ProvidersParts extends Pick<LocalToolsParts, 'catalog' | 'runner'> {
  readonly log: Log;
}

/** Where the tools of a gateway come from. */
export interface Providers {
  readonly processes: Processes;
  readonly servers: ServerProviders;
  readonly local: LocalTools;
  readonly plugins: Awaited<ReturnType<typeof openLatePlugins>>;
  /** All providers in merge order. */
  readonly all: () => readonly Provider[];
}

export async function openProviders(start: Start, parts: ProvidersParts): Promise<Providers> {
  const { log } = parts;
  const { options, state, located, config, places, isCommand } = start;
  const { env, version, logFile } = options;
  const processes = openLateProcesses({ stateDir: state.directory, log: (line) => log('warn', line) });
  const memory = openFileMemory(state.directory);
  const servers = createServerProviders({
    env,
    processes,
    memory,
    pythonCache: pythonCacheIn(state.directory),
    ownFolder: state.directory,
    state,
    logins: openLogins(state.directory),
    givesLinks: !isCommand,
    version,
    log,
  });
  servers.apply(config, located.isTrusted);
  const shared = { state, env, version, processes, folder: located.folder };
  const local = await openLocalTools(config, {
    ...shared,
    ...parts,
    ...(logFile !== undefined && { logFile }),
    places,
    embedded: options.tools ?? [],
    isPatient: isCommand,
  });
  const plugins = await openLatePlugins({ ...shared, memory, findHold: local.findHold, log });
  const all = (): readonly Provider[] => [...local.providers(), ...servers.current(), ...plugins.providers()];
  return { processes, servers, local, plugins, all };
}
