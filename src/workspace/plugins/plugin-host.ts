import { join } from 'node:path';
import { createLineRedactor } from '../../observers/log/index.js';
import {
  type ChildProgram,
  type ChildStart,
  childStart,
  type Environment,
  watchConfig,
} from '../../config/index.js';
import {
  awfStateFile,
  type LocatedPlugin,
  type LocatedPlugins,
  locatePlugins,
  openPluginSwitches,
  pluginPlaces,
  stillTrusted,
  switchFile,
} from '../../config/plugins/index.js';
import { createToolFilter, type Provider } from '../../core/index.js';
import type { Log } from '../../ports/log.js';
import type { Plugins } from '../../ports/plugins.js';
import type { Processes } from '../../ports/processes.js';
import type { CheckStart } from '../../ports/start-refusal.js';
import { type McpProviderOptions, openMcpProvider, type UpstreamMemory } from '../../providers/mcp/index.js';
import {
  openOfferMemory,
  openPluginProvider,
  openPlugins,
  pluginFacts,
  type PluginMember,
  type PluginOptions,
} from '../../providers/plugin/index.js';
import type { State } from '../locate-config.js';
import { createSecretsRedactor, redactEach, secretsOf } from './plugin-secrets.js';
import { whyNotStarted, logPluginProblems } from './plugin-problems.js';
import { withSafeErrors } from './safe-errors.js';
import { socketHome } from '../socket-home.js';
import { type FindHold, withHold } from '../start-holds.js';

export interface PluginHostParts {
  readonly state: State;
  readonly env: Environment;
  readonly version: string;
  /** The folder that contains `.tidegate/`. */
  readonly folder: string;
  readonly processes: Processes;
  readonly memory: UpstreamMemory;
  /** See `createStartHolds`. */
  readonly findHold: FindHold;
  readonly log: Log;
}

/** The plugins of a gateway: located, checked for trust, and opened as providers. */
export interface PluginHost {
  providers(): readonly Provider[];
  readonly port: Plugins;
  located(): LocatedPlugins;
  /** Watches trust, enabled state and plugin folders. `onChange` is called before replaced providers are closed. */
  follow(onChange: () => void): void;
  /** Waits briefly for pending events and accepts no more. Call it before closing anything. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

interface Opened extends PluginMember {
  readonly key: string;
}

export async function openPluginHost(parts: PluginHostParts): Promise<PluginHost> {
  const { state, log } = parts;
  const switches = openPluginSwitches(state.directory);
  const find = (): Promise<LocatedPlugins> =>
    locatePlugins({
      workspace: parts.folder,
      environment: parts.env,
      version: parts.version,
      trust: state.trust,
      switches,
      hashes: 'trusted',
    });
  const open = createOpener(parts);
  let located = await find();
  let members = located.plugins.map((plugin) => open(plugin));
  const port = openPlugins(() => members, log);
  logPluginProblems(located, log);
  const watches: { close(): void }[] = [];
  let looking: Promise<void> = Promise.resolve();

  async function look(onChange: () => void): Promise<void> {
    const next = await find();
    const known = new Map(members.map((member) => [member.key, member]));
    const after = next.plugins.map((plugin) => known.get(keyOf(plugin)) ?? open(plugin));
    located = next;
    if (after.every((member) => known.has(member.key)) && after.length === members.length) return;
    const gone = members.filter((member) => !after.includes(member));
    members = after;
    logPluginProblems(located, log);
    onChange();
    await Promise.all(gone.map(({ provider }) => provider.close()));
  }

  return {
    providers: () => members.map(({ provider }) => provider),
    port,
    located: () => located,
    follow(onChange) {
      const later = (): void => {
        looking = looking
          .then(() => look(onChange))
          .catch((error: unknown) => log('error', 'could not reload plugins', { error: String(error) }));
      };
      const files = [
        join(state.directory, 'trust.json'),
        switchFile(state.directory),
        awfStateFile(parts.env),
        ...pluginPlaces(parts.folder, parts.env),
      ];
      watches.push(...files.map((file) => watchConfig(file, later)));
    },
    settle: () => port.close(),
    async close() {
      for (const watch of watches) watch.close();
      await port.close();
      await looking;
      await Promise.all(members.map(({ provider }) => provider.close()));
    },
  };
}

/**
 * The entry point `tidegate/plugin` of this program, for plugins made by `tidegate plugin new`: they need no installed
 * package. In the build, this file is a separate chunk, one folder below the entry points.
 */
const sdk = new URL(
  import.meta.url.endsWith('.ts') ? '../../plugin/index.ts' : '../plugin.js',
  import.meta.url,
).href;

/** Changes when the provider must be opened again. */
function keyOf(plugin: LocatedPlugin): string {
  return JSON.stringify(plugin);
}

function createOpener(parts: PluginHostParts): (plugin: LocatedPlugin) => Opened {
  const memory = openOfferMemory(parts.state.directory);
  return (plugin) => {
    const key = keyOf(plugin);
    if (plugin.type === 'mcp') return { key, ...openServer(plugin, parts) };
    const provider = openPluginProvider({
      ...optionsOf(plugin, parts),
      memory,
      identity: JSON.stringify([
        plugin.name,
        plugin.start,
        plugin.files.map(({ sha256 }) => sha256),
        plugin.config,
      ]),
    });
    return { key, provider, plugin: provider, facts: () => provider.facts() };
  };
}

function optionsOf(
  plugin: LocatedPlugin,
  parts: PluginHostParts,
): Omit<PluginOptions, 'memory' | 'identity'> {
  const { name, version, capabilities, config, events, timeout, start } = plugin;
  const program = start?.kind === 'program' ? start : { command: '', args: [], cwd: parts.folder };
  const { command, args, cwd } = program;
  const closed = whyNotStarted(plugin);
  return {
    name,
    ...(version !== undefined && { version }),
    capabilities,
    program: { args, cwd, ...startOf({ command, cwd, env: plugin.env }, parts) },
    config,
    events,
    offers: createToolFilter(plugin.expose),
    timeoutMs: timeout,
    isPlain: !plugin.hasTls,
    ...(closed && { closed }),
    recheck: recheckOf(plugin, parts),
    processes: parts.processes,
    socketHome: socketHome(parts.state.directory),
    ...sayingOf(plugin, parts),
  };
}

function recheckOf(plugin: LocatedPlugin, { state, findHold }: PluginHostParts): CheckStart {
  return withHold(
    () => findHold((name) => name === plugin.record?.file),
    () => stillTrusted(plugin, state.trust),
  );
}

/** Removes the plugin's configured secrets from its log lines and errors. */
function sayingOf(
  plugin: LocatedPlugin,
  { log }: PluginHostParts,
): Pick<PluginOptions, 'log' | 'createRedactor' | 'withoutSecrets'> {
  const withoutSecrets = createSecretsRedactor(secretsOf(plugin));
  return {
    withoutSecrets,
    log: (level, message, fields) =>
      log(level, message, { plugin: plugin.name, ...redactEach(fields, withoutSecrets) }),
    createRedactor() {
      const redact = createLineRedactor();
      return (line) => redact(withoutSecrets(line));
    },
  };
}

/** The plugin gets its own temporary folder, unless plugins.yaml names one. It is removed with the plugin. */
function startOf(program: ChildProgram, { env, folder }: PluginHostParts): ChildStart {
  const { TMPDIR: _ours, ...own } = env;
  const start = childStart(program, own, [folder]);
  return { ...start, env: { ...start.env, TIDEGATE_PLUGIN_SDK: sdk } };
}

/** An MCP server configured as a plugin; its key in plugins.yaml is its name and tool prefix. */
function openServer(plugin: LocatedPlugin, parts: PluginHostParts): PluginMember {
  const { name, version } = plugin;
  const closed = whyNotStarted(plugin);
  const saying = sayingOf(plugin, parts);
  const server = openMcpProvider({
    name,
    kind: 'plugin',
    transport: transportOf(plugin, parts),
    identity: JSON.stringify([plugin.start, plugin.env]),
    prefix: `${name}_`,
    offers: createToolFilter(plugin.expose),
    timeoutMs: plugin.timeout,
    idleMs: 0,
    protocol: 'auto',
    trusted: closed === undefined,
    enabled: closed === undefined,
    ...(closed && { closed }),
    recheck: recheckOf(plugin, parts),
    processes: parts.processes,
    memory: parts.memory,
    version: parts.version,
    ...saying,
  });
  const provider = withSafeErrors(server, saying.withoutSecrets);
  const about = {
    name,
    ...(version !== undefined && { version }),
    capabilities: ['operations'],
    ...(closed && { closed }),
  } as const;
  return { provider, facts: () => pluginFacts(about, provider.status()) };
}

function transportOf({ start, env }: LocatedPlugin, parts: PluginHostParts): McpProviderOptions['transport'] {
  if (start?.kind === 'url') return { kind: 'http', url: start.url, headers: start.headers };
  const { command, args, cwd } = start ?? { command: '', args: [], cwd: parts.folder };
  return { kind: 'stdio', args, cwd, ...childStart({ command, cwd, env }, parts.env, [parts.folder]) };
}
