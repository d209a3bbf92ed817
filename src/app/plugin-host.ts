import { join } from 'node:path';
import { createLineRedactor } from '../concerns/log/index.js';
import { childEnvironment, type Environment, watchConfig } from '../config/index.js';
import {
  awfStateFile,
  type LocatedPlugin,
  type LocatedPlugins,
  locatePlugins,
  openPluginSwitches,
  pluginPlaces,
  stillTrusted,
  switchFile,
} from '../config/plugins/index.js';
import { createToolFilter, type Log, type Plugins, type Processes, type Provider } from '../kernel/index.js';
import { type McpProviderOptions, openMcpProvider, type UpstreamMemory } from '../providers/mcp/index.js';
import {
  openOfferMemory,
  openPluginProvider,
  openPlugins,
  pluginFacts,
  type PluginMember,
  type PluginOptions,
} from '../providers/plugin/index.js';
import type { State } from './locate-config.js';
import { createSecretsRedactor, redactEach, secretsOf } from './plugin-secrets.js';
import { closedBecause, tellOf } from './plugin-standing.js';
import { withSafeErrors } from './safe-errors.js';
import { socketHome } from './socket-home.js';

export interface PluginHostParts {
  readonly state: State;
  readonly env: Environment;
  readonly version: string;
  /** The folder whose `.tidegate/` is meant. */
  readonly folder: string;
  readonly roots: readonly string[];
  readonly processes: Processes;
  readonly memory: UpstreamMemory;
  readonly log: Log;
}

/** The plugins of a gate: found, judged, and opened as providers. */
export interface PluginHost {
  providers(): readonly Provider[];
  readonly port: Plugins;
  located(): LocatedPlugins;
  /** Takes up changes of trust, of switches and of the places of plugins; `onChange` is told after the providers are others, and closes the old. */
  follow(onChange: () => void): void;
  /** Waits a moment for events that are on their way, and takes no more. Comes before anything is closed. */
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
  tellOf(located, log);
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
    tellOf(located, log);
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
          .catch((error: unknown) => log('error', 'plugins not looked at again', { error: String(error) }));
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
 * The door `tidegate/plugin` of this very program, for plugins that `tidegate plugin new` made: they need nothing installed.
 * Built, this file is a chunk of its own, one folder below the doors.
 */
const sdk = new URL(import.meta.url.endsWith('.ts') ? '../plugin/index.ts' : '../plugin.js', import.meta.url)
  .href;

/** What a provider depends on: with another one of these it is another provider. */
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
  const closed = closedBecause(plugin);
  return {
    name,
    ...(version !== undefined && { version }),
    capabilities,
    program: { command, args, cwd, env: environmentOf(plugin, parts) },
    config,
    events,
    offers: createToolFilter(plugin.expose),
    timeoutMs: timeout,
    isPlain: !plugin.hasTls,
    ...(closed && { closed }),
    recheck: () => stillTrusted(plugin, parts.state.trust),
    processes: parts.processes,
    socketHome: socketHome(parts.state.directory),
    ...sayingOf(plugin, parts),
  };
}

/** What a plugin says goes to the log and into faults without what the operator gave it. */
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

/** A temporary folder of its own, unless plugins.yaml names one: what a plugin leaves there goes with it. */
function environmentOf({ env }: LocatedPlugin, parts: PluginHostParts): Readonly<Record<string, string>> {
  const { TMPDIR: _ours, ...base } = childEnvironment(parts.env, {});
  return { ...base, ...env, TIDEGATE_PLUGIN_SDK: sdk };
}

/** An MCP server under the rules of plugins: its key in plugins.yaml is its name, and the prefix of its tools. */
function openServer(plugin: LocatedPlugin, parts: PluginHostParts): PluginMember {
  const { name, version } = plugin;
  const closed = closedBecause(plugin);
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
    recheck: () => stillTrusted(plugin, parts.state.trust),
    processes: parts.processes,
    memory: parts.memory,
    roots: parts.roots,
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
  return { kind: 'stdio', command, args, cwd, env: childEnvironment(parts.env, env) };
}
