import { type Access, parsePrincipal, withToolFilter } from '../access/index.js';
import type { Log } from '../concerns/log/index.js';
import {
  type Config,
  createProblem,
  defaultConfig,
  hasErrors,
  openShapeMemory,
  type Problem,
} from '../config/index.js';
import { type Gateway, openGateway } from '../gateway/index.js';
import {
  atMost,
  type Caller,
  createToolFilter,
  idlePatternLines,
  nearest,
  type Principal,
  type Provider,
  type Session,
  type SessionScope,
} from '../kernel/index.js';
import { openFileMemory } from '../providers/mcp/index.js';
import { openLogins } from './login-files.js';
import { createWireCommon } from '../wire/index.js';
import { AccessRefused } from './access-refused.js';
import { ConfigRefused } from './config-refused.js';
import { knownCatalogue } from './known-catalogue.js';
import { openLatePlugins, sweepSockets } from './late-plugins.js';
import { openLateProcesses, sweepLeftovers } from './late-processes.js';
import { type AccessParts, openAccess } from './open-access.js';
import { openLiveConfig } from './live-config.js';
import { type LocalTools, openLocalTools } from './local-tools.js';
import { locateConfig, openState } from './locate-config.js';
import { openObservers } from './open-observers.js';
import { openSurface } from './open-surface.js';
import { operatorName } from './operator-name.js';
import { tellPolicyWarnings } from './policy-warnings.js';
import { sweepFiles } from './port-services.js';
import { createServing } from './serving.js';
import { createServerProviders } from './server-providers.js';
import { createRunnerService } from './runner-service.js';
import { createCollisionTeller } from './tell-collisions.js';
import type { Tidegate, TidegateOptions } from './tidegate.js';
import { createSubSessions } from './sub-sessions.js';

/** How long a closing gate waits for servers before the keeper takes over. */
const closeMs = 60;
/** Who does not end when asked to is ended within this. */
const sweepMs = 3000;

export async function openTidegate(options: TidegateOptions): Promise<Tidegate> {
  const state = openState(options.env);
  if (state.problem) throw new ConfigRefused([state.problem]);
  const place = { ...options, shapes: openShapeMemory(state.directory, options.version) };
  const located = await locateConfig(place, state.trust);
  if (hasErrors(located.problems)) throw new ConfigRefused(located.problems);
  const { env, version } = options;
  const { file, sha256, isTrusted } = located;
  const config = isTrusted ? located.config : inert(located.config, options.cwd);

  const actor = actingAs(options, config.access.zone);
  const isCommand = options.mode === 'command';
  const observers = await openObservers({
    config,
    env,
    version,
    isCommand,
    logLevel: options.logLevel,
    factsOf: (attempt) => shown.factsOf(attempt),
    ...(options.logFile !== undefined && { logFile: options.logFile }),
  });
  const log: Log['write'] = (level, message, fields) => observers.log.write(level, message, fields);
  if (!isTrusted)
    log('warn', 'the file is not trusted: nothing of it is used; run `tidegate trust`', { file });
  const sweeping = Promise.allSettled([sweepLeftovers(state.directory), sweepSockets(state.directory)]);
  void sweepFiles(state.directory, (line) => log('warn', line)).catch(() => undefined);
  const processes = openLateProcesses({ stateDir: state.directory, log: (line) => log('warn', line) });
  const memory = openFileMemory(state.directory);
  const servers = createServerProviders({
    env,
    processes,
    memory,
    logins: openLogins(state.directory),
    givesLinks: !isCommand,
    version,
    log,
  });
  servers.apply(config, isTrusted);
  const shown = openSurface({
    config,
    gateway: () => gateway,
    log: (message, fields) => log('info', message, fields),
  });
  const local = await openLocalTools(config, {
    state,
    env,
    version,
    processes,
    folder: located.folder,
    embedded: options.tools ?? [],
    catalog: shown.catalog,
    isPatient: isCommand,
    // Asked only when a tool is called, and by then the gate is open.
    runner: createRunnerService(() => ({ tidegate, options })),
    log,
  });
  const plugins = await openLatePlugins({
    state,
    env,
    version,
    folder: located.folder,
    roots: config.workspace.roots,
    processes,
    memory,
    log,
  });
  const giveUp = async (error: unknown): Promise<never> => {
    await Promise.all([local.close(), plugins.close(), processes.close(), observers.close()]);
    throw error;
  };
  const clashes = clashProblems(local);
  if (clashes.length > 0) await giveUp(new ConfigRefused(clashes));
  const everyProvider = () => [...local.providers(), ...servers.current(), ...plugins.providers()];
  const operator: Principal = { kind: 'user', id: operatorName(), zone: config.access.zone };
  const opened = await openAccess({
    config,
    stateDirectory: state.directory,
    workspace: options.cwd,
    trust: state.trust,
    isLive: !isCommand,
    operator,
    ...(file !== undefined && { configFile: file }),
    ...actor,
    isShared: options.mode === 'http',
    needsDesk: options.withRights === true,
    lookup: (wanted) => gateway.lookup(wanted),
    isOffered: options.toolPatterns === undefined ? () => true : createToolFilter(options.toolPatterns),
    log,
  }).catch(giveUp);
  const gateway: Gateway = openGateway({
    providers: everyProvider(),
    access: narrowed(opened.access, options.toolPatterns),
    surface: shown.surface,
    checkArguments: (tool, params) => shown.checkArguments(tool, params),
    interceptors: [],
    observers: [...observers.all, opened.audit],
    now: () => performance.now(),
    onLeave: (session) => local.forget(session),
  });
  const live = isCommand
    ? undefined
    : openLiveConfig({ place, state, gateway, servers, local, everyProvider, first: located, log });
  if (!isCommand) {
    local.follow();
    const tellCollisions = createCollisionTeller(gateway, log);
    plugins.follow(() => {
      gateway.replaceProviders(everyProvider());
      tellCollisions();
    });
    void whenListed(gateway, everyProvider()).then(tellCollisions);
  }
  const idlePatterns = (): readonly string[] =>
    idlePatternLines(options.toolPatterns ?? [], toolNames(everyProvider()));
  if (options.toolPatterns && !isCommand) {
    void whenListed(gateway, everyProvider()).then(() => idlePatterns().forEach((line) => log('warn', line)));
  }
  if (!isCommand) {
    void tellPolicyWarnings({
      opened,
      tools: () => knownCatalogue(gateway, operator).specs.filter((spec) => spec.kind === 'tool'),
      listed: () => whenListed(gateway, everyProvider()),
      log,
    });
  }
  const common = createWireCommon(version, runId());
  const localSession = createSessions(opened.local);

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    live?.close();
    await plugins.settle();
    await atMost(
      closeMs,
      Promise.all([gateway.close(), local.close()]).then(() => undefined),
    );
    // A plugin is asked to end, and given the time that it needs: it may hold what is not written yet.
    await plugins.close();
    // A short command would be gone before it is done.
    await atMost(
      sweepMs,
      sweeping.then(() => undefined),
    );
    await opened.close();
    await processes.close();
    await observers.close();
  }

  const tidegate: Tidegate = {
    gateway,
    config,
    problems: [...located.problems, ...(opened.rights?.policy.problems ?? [])],
    access: opened,
    surface: shown,
    workspaceTools: () => local.reports(),
    plugins: plugins.port,
    locatedPlugins: () => plugins.located(),
    idlePatterns,
    trust: { isTrusted, ...(file !== undefined && { file }), ...(sha256 !== undefined && { sha256 }) },
    localSession,
    subSession: createSubSessions(opened),
    newRequestId: common.newRequestId,
    openBeside: openTidegate,
    processes,
    stateDirectory: state.directory,
    ...(observers.openSpan && { openSpan: observers.openSpan }),
    ...createServing({
      gateway,
      common,
      config,
      operator,
      opened,
      surface: shown,
      localSession,
      stateDirectory: state.directory,
      warn: (message, fields) => log('warn', message, fields),
    }),
    close: () => (closing ??= close()),
  };
  return tidegate;
}

/**
 * Of a file that nobody trusted, only the names of its servers are used, and which of our own tools it takes away:
 * it may not write, send or open anything.
 */
function inert({ servers, builtins, file }: Config, directory: string): Config {
  return { ...defaultConfig(directory), servers, builtins, ...(file !== undefined && { file }) };
}

function narrowed(access: Access, patterns: readonly string[] | undefined): Access {
  return patterns === undefined ? access : withToolFilter(access, patterns);
}

/** Starts no server by itself: one that has never listed is waited for until somebody wants lists. */
async function whenListed(gateway: Gateway, providers: readonly Provider[]): Promise<void> {
  const isKnown = (provider: Provider): boolean =>
    provider.list().tools.length > 0 || !['idle', 'pending'].includes(provider.status().state);
  if (!providers.every(isKnown)) await gateway.firstListed();
}

function toolNames(providers: readonly Provider[]): readonly string[] {
  return providers.flatMap((provider) => provider.list().tools.map(({ name }) => name));
}

function clashProblems(local: LocalTools): readonly Problem[] {
  return local
    .reports()
    .filter(({ state }) => state === 'clash')
    .map(({ file, tool = '', owner = '' }) => {
      const message = `The name "${tool}" belongs to ${owner}.`;
      return createProblem(file, '', { code: 'tools.name_clash', message });
    });
}

function createSessions({ principal, chain }: Caller): (scope: SessionScope) => Session {
  let count = 0;
  return (scope) => {
    count += 1;
    return { id: `${scope}-${String(count)}`, principal, chain, scope };
  };
}

function actingAs({ as, profile }: TidegateOptions, zone: string): Pick<AccessParts, 'as' | 'profile'> {
  const principal = as === undefined ? undefined : parsePrincipal(as);
  if (as !== undefined && principal === undefined)
    throw new AccessRefused(
      'access.bad_principal',
      `"${as}" is not a principal: write kind:id, such as agent:alice.${likelyPrincipal(as)}`,
    );
  return { ...(principal && { as: { ...principal, zone } }), ...(profile !== undefined && { profile }) };
}

/** Where the kind is misspelt, or left out. */
function likelyPrincipal(as: string): string {
  const [kind = '', ...id] = as.split(':');
  const near = id.length === 0 ? 'agent' : nearest(kind, ['agent', 'user', 'service']);
  const likely = `${near ?? ''}:${id.length === 0 ? as : id.join(':')}`;
  return parsePrincipal(likely) === undefined ? '' : ` Did you mean ${likely}?`;
}

/** Short, and different for every start, so that request ids of two runs never meet in a log. */
function runId(): string {
  return `${Date.now().toString(36)}${process.pid.toString(36)}`;
}
