import { realpathSync } from 'node:fs';
import { type Access, parsePrincipal, withToolFilter } from '../access/index.js';
import type { Log } from '../observers/log/index.js';
import { createProblem, describeProblem, hasErrors, openShapeMemory, type Problem } from '../config/index.js';
import { type Gateway, openGateway } from '../gateway/index.js';
import { atMost } from '../lib/at-most.js';
import {
  type Caller,
  createToolFilter,
  idlePatternLines,
  type Principal,
  type Provider,
  type Session,
  type SessionScope,
} from '../core/index.js';
import { nearest } from '../lib/nearest.js';
import { openFileMemory } from '../providers/mcp/index.js';
import { openLogins } from '../workspace/login-files.js';
import { createWireCommon } from '../transports/index.js';
import { AccessRefused } from '../workspace/access-refused.js';
import { ConfigRefused } from '../workspace/config-refused.js';
import { governingConfig } from '../workspace/governing-config.js';
import { knownCatalogue } from '../workspace/known-catalogue.js';
import { openNameClaims } from '../workspace/name-claims-file.js';
import { openLatePlugins, sweepSockets } from '../workspace/plugins/late-plugins.js';
import { openLateProcesses, sweepLeftovers } from '../workspace/late-processes.js';
import { type AccessParts, openAccess } from '../workspace/access/open-access.js';
import { openLiveConfig } from './live-config.js';
import { type LocalTools, openLocalTools } from './local-tools.js';
import { openState } from '../workspace/locate-config.js';
import { openObservers } from './open-observers.js';
import { openStages } from './open-stages.js';
import { openExposure } from '../workspace/open-exposure.js';
import { linkProblem, stateAroundProblem } from '../workspace/own-places.js';
import { operatorName } from '../workspace/operator-name.js';
import { tellPolicyWarnings } from '../workspace/access/policy-warnings.js';
import { sweepCommands, sweepFiles } from '../workspace/port-services.js';
import { pythonCacheIn, sweepPythonCache } from '../workspace/python-cache.js';
import { createServing } from './serving.js';
import { createServerProviders } from '../workspace/server-providers.js';
import { createRunnerService } from './runner-service.js';
import { createCollisionTeller } from './tell-collisions.js';
import { createSessionTelling } from '../features/context/tell-sessions.js';
import type { Tidegate, TidegateOptions } from '../workspace/tidegate.js';
import { createSubSessions } from '../workspace/access/sub-sessions.js';

/** How long closing waits for servers before the reaper takes over. */
const closeMs = 60;
/** Limit for ending leftover processes. */
const sweepMs = 3000;

/** Problems which mean that another configuration than the nearest file applies. */
const decidingCodes: ReadonlySet<string> = new Set(['config.passed_over', 'config.changed']);

export async function openTidegate(options: TidegateOptions): Promise<Tidegate> {
  const state = openState(options.env);
  if (state.problem) throw new ConfigRefused([state.problem]);
  const place = { ...options, shapes: openShapeMemory(state.directory, options.version) };
  const located = await governingConfig(place, state.trust);
  if (hasErrors(located.problems)) throw new ConfigRefused(located.problems);
  const { env, version } = options;
  const { config, file, sha256, isTrusted, isKept = false } = located;

  const actor = actingAs(options, config.access.zone);
  const isCommand = options.mode === 'command';
  const inState = isCommand ? undefined : stateAroundProblem(config.workspace.roots, state.directory);
  if (inState !== undefined) throw new ConfigRefused([inState]);
  const link = linkProblem({ config, env, folder: located.folder });
  if (link !== undefined) throw new ConfigRefused([link]);
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
  for (const problem of located.problems)
    if (decidingCodes.has(problem.code)) log('warn', describeProblem(problem));
  if (!isTrusted && !isKept)
    log('warn', 'the file is not trusted and is ignored; run `tidegate trust`', { file });
  const sweeping = Promise.allSettled([sweepLeftovers(state.directory), sweepSockets(state.directory)]);
  // Only after the processes in these folders have ended.
  void sweeping
    .then(() => sweepCommands(state.directory, (line) => log('warn', line)))
    .catch(() => undefined);
  void sweepPythonCache(state.directory).catch(() => undefined);
  void sweepFiles(state.directory, (line) => log('warn', line)).catch(() => undefined);
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
  servers.apply(config, isTrusted);
  const shown = openExposure({
    config,
    gateway: () => gateway,
    log: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
  });
  const local = await openLocalTools(config, {
    state,
    env,
    version,
    processes,
    folder: located.folder,
    ...(options.logFile !== undefined && { logFile: options.logFile }),
    embedded: options.tools ?? [],
    catalog: shown.catalog,
    isPatient: isCommand,
    // Used only when a tool is called; the gateway is open by then.
    runner: createRunnerService(() => ({ tidegate, options })),
    log,
  });
  const plugins = await openLatePlugins({
    state,
    env,
    version,
    folder: located.folder,
    processes,
    memory,
    findHold: local.findHold,
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
    needsAdmin: options.withRights === true,
    lookup: (wanted) => gateway.registry.lookup(wanted),
    isOffered: options.toolPatterns === undefined ? () => true : createToolFilter(options.toolPatterns),
    log,
  }).catch(giveUp);
  const claims = openNameClaims(state.directory, file ?? options.cwd);
  const tellCollisions = isCommand ? () => undefined : createCollisionTeller(() => gateway, log);
  const gateway: Gateway = openGateway({
    claims,
    onCollisions: tellCollisions,
    providers: everyProvider(),
    access: narrowed(opened.access, options.toolPatterns),
    exposure: shown.exposure,
    checkArguments: (tool, params) => shown.checkArguments(tool, params),
    interceptors: openStages(config),
    observers: [...observers.all, opened.audit],
    now: () => performance.now(),
    onLeave: (session) => local.forget(session),
  });
  const live = isCommand
    ? undefined
    : openLiveConfig({
        place,
        state,
        gateway,
        servers,
        local,
        everyProvider,
        first: located,
        applyAccess: ({ config: next }) => opened.live.apply(next),
        log,
      });
  if (!isCommand) {
    local.follow();
    plugins.follow(() => gateway.registry.replace(everyProvider()));
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
  const telling = createSessionTelling(shown.exposure, {
    stateDirectory: state.directory,
    file: config.file,
  });

  async function close(): Promise<void> {
    live?.close();
    await telling.close();
    await plugins.settle();
    await atMost(
      closeMs,
      Promise.all([gateway.close(), local.close()]).then(() => undefined),
    );
    // Give plugins time to end: they may hold unsaved data.
    await plugins.close();
    // A short command would otherwise exit before the sweep is done.
    await atMost(
      sweepMs,
      sweeping.then(() => undefined),
    );
    claims.close();
    await opened.close();
    await processes.close();
    await observers.close();
  }

  const tidegate: Tidegate = {
    gateway,
    config,
    problems: [...located.problems, ...(opened.rights?.policy.problems ?? [])],
    access: opened,
    exposure: shown,
    workspaceTools: () => local.reports(),
    plugins: plugins.port,
    locatedPlugins: () => plugins.located(),
    idlePatterns,
    trust: { isTrusted, ...(file !== undefined && { file }), ...(sha256 !== undefined && { sha256 }) },
    localSession,
    subSession: createSubSessions(opened),
    shellFor: (session) => local.shellFor(session),
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
      exposure: shown,
      telling,
      localSession,
      stateDirectory: state.directory,
      folder: realpathSync(options.cwd),
      warn: (message, fields) => log('warn', message, fields),
    }),
    close: () => (closing ??= close()),
  };
  return tidegate;
}

function narrowed(access: Access, patterns: readonly string[] | undefined): Access {
  return patterns === undefined ? access : withToolFilter(access, patterns);
}

/** Starts no server: waits until another caller makes unknown servers list their tools. */
async function whenListed(gateway: Gateway, providers: readonly Provider[]): Promise<void> {
  const isKnown = (provider: Provider): boolean =>
    provider.list().tools.length > 0 || !['idle', 'pending'].includes(provider.status().state);
  if (!providers.every(isKnown)) await gateway.registry.firstListed();
}

function toolNames(providers: readonly Provider[]): readonly string[] {
  return providers.flatMap((provider) => provider.list().tools.map(({ name }) => name));
}

function clashProblems(local: LocalTools): readonly Problem[] {
  return local
    .reports()
    .filter(({ state }) => state === 'clash')
    .map(({ file, tool = '', owner = '', looksLike }) => {
      const whose = looksLike === undefined ? 'already belongs to' : `looks like "${looksLike}" of`;
      const message = `The name "${tool}" ${whose} ${owner}.`;
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
      `"${as}" is not a valid principal. Use kind:id, such as agent:alice.${likelyPrincipal(as)}`,
    );
  return { ...(principal && { as: { ...principal, zone } }), ...(profile !== undefined && { profile }) };
}

/** Suggests a principal if the kind is misspelled or missing. */
function likelyPrincipal(as: string): string {
  const [kind = '', ...id] = as.split(':');
  const near = id.length === 0 ? 'agent' : nearest(kind, ['agent', 'user', 'service']);
  const likely = `${near ?? ''}:${id.length === 0 ? as : id.join(':')}`;
  return parsePrincipal(likely) === undefined ? '' : ` Did you mean ${likely}?`;
}

/** Short and unique per start, so that request ids of two runs do not collide in a log. */
function runId(): string {
  return `${Date.now().toString(36)}${process.pid.toString(36)}`;
}
