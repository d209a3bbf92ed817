import { realpathSync } from 'node:fs';
import { type Access, withToolFilter } from '../access/index.js';
import { createProblem, type Problem } from '../config/index.js';
import {
  type Caller,
  createToolFilter,
  idlePatternLines,
  type Principal,
  type Provider,
  type Session,
  type SessionScope,
} from '../core/index.js';
import { createSessionTelling, type SessionTelling } from '../features/context/tell-sessions.js';
import { type Gateway, openGateway } from '../gateway/index.js';
import { redactText, withKnownClean } from '../observers/log/index.js';
import type { Log } from '../ports/log.js';
import { createWireCommon } from '../transports/index.js';
import { openAccess, type OpenedAccess } from '../workspace/access/open-access.js';
import { createSubSessions } from '../workspace/access/sub-sessions.js';
import { ConfigRefused } from '../workspace/config-refused.js';
import { openNameClaims } from '../workspace/name-claims-file.js';
import { type OpenedExposure, openExposure } from '../workspace/open-exposure.js';
import { operatorName } from '../workspace/operator-name.js';
import type { Tidegate, TidegateOptions } from '../workspace/tidegate.js';
import { createClose, sweepState } from './close-tidegate.js';
import { followChanges } from './follow-changes.js';
import { createLate } from './late.js';
import type { LocalTools } from './local-tools.js';
import { type Observers, openObservers } from './open-observers.js';
import { openProviders, type Providers } from './open-providers.js';
import { openStages } from './open-stages.js';
import { logStart, readStart, type Start } from './read-start.js';
import { createRunnerService } from './runner-service.js';
import { createServing } from './serving.js';
import { createCollisionLog } from './log-collisions.js';

export async function openTidegate(options: TidegateOptions): Promise<Tidegate> {
  const lateTidegate = createLate<Tidegate>('gateway');
  const parts = await openParts(options, lateTidegate.get);
  return lateTidegate.set(tidegateOf(parts));
}

/** The open parts of a gateway. */
interface Parts {
  readonly start: Start;
  readonly log: Log;
  readonly observers: Observers;
  readonly exposure: OpenedExposure;
  readonly providers: Providers;
  readonly operator: Principal;
  readonly access: OpenedAccess;
  readonly gateway: Gateway;
  readonly telling: SessionTelling;
  readonly idlePatterns: () => readonly string[];
  readonly close: () => Promise<void>;
}

async function openParts(options: TidegateOptions, tidegate: () => Tidegate): Promise<Parts> {
  const start = await readStart(options);
  const { state, config, located, isCommand } = start;
  // For parts that need each other: read during calls only, when all of them are open.
  const lateExposure = createLate<OpenedExposure>('exposure');
  const lateGateway = createLate<Gateway>('gateway');

  const observers = await openObservers({
    config,
    env: options.env,
    version: options.version,
    isCommand,
    logLevel: options.logLevel,
    factsOf: (attempt) => lateExposure.get().factsOf(attempt),
    ...(options.logFile !== undefined && { logFile: options.logFile }),
  });
  const log: Log = (level, message, fields) => observers.log.write(level, message, fields);
  logStart(start, log);
  const sweeping = sweepState(state.directory, log);
  const exposure = lateExposure.set(openExposure({ config, gateway: lateGateway.get, log }));
  const runner = createRunnerService(() => ({ tidegate: tidegate(), options }));
  const providers = await openProviders(start, { catalog: exposure.catalog, runner, log });
  const { local, plugins, processes } = providers;
  const giveUp = async (error: unknown): Promise<never> => {
    await Promise.all([local.close(), plugins.close(), processes.close(), observers.close()]);
    throw error;
  };
  const clashes = clashProblems(local);
  if (clashes.length > 0) await giveUp(new ConfigRefused(clashes));
  const operator: Principal = { kind: 'user', id: operatorName(), zone: config.access.zone };
  const access = await accessFor(start, operator, lateGateway.get, log).catch(giveUp);
  const claims = openNameClaims(state.directory, located.file ?? options.cwd);
  const logCollisions = isCommand ? () => undefined : createCollisionLog(lateGateway.get, log);
  const gateway = lateGateway.set(
    openGateway({
      claims,
      onCollisions: logCollisions,
      providers: providers.all(),
      access: narrowed(access.access, options.toolPatterns),
      exposure: exposure.exposure,
      checkArguments: (tool, params) => exposure.checkArguments(tool, params),
      stages: openStages(config),
      observers: [...observers.all, access.audit],
      redact: withKnownClean(redactText),
      now: () => performance.now(),
      onLeave: (session) => local.forget(session),
    }),
  );
  const idlePatterns = (): readonly string[] =>
    idlePatternLines(options.toolPatterns ?? [], toolNames(providers.all()));
  const opened = { start, log, observers, exposure, providers, operator, access, gateway, idlePatterns };
  const following = isCommand ? undefined : followChanges(start, { ...opened, logCollisions });
  const telling = createSessionTelling(exposure.exposure, {
    stateDirectory: state.directory,
    file: config.file,
  });
  const close = createClose({ ...opened, following, telling, sweeping, claims });
  return { ...opened, telling, close };
}

function accessFor(
  { options, state, config, located: { file }, isCommand, actor }: Start,
  operator: Principal,
  gateway: () => Gateway,
  log: Log,
): Promise<OpenedAccess> {
  return openAccess({
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
    lookup: (wanted) => gateway().registry.lookup(wanted),
    isOffered: options.toolPatterns === undefined ? () => true : createToolFilter(options.toolPatterns),
    log,
  });
}

function tidegateOf(parts: Parts): Tidegate {
  const { start, gateway, access, exposure, providers, observers, operator, telling, log } = parts;
  const { options, state, config, located } = start;
  const { file, sha256, isTrusted } = located;
  const { local, plugins, processes } = providers;
  const common = createWireCommon(options.version, runId());
  const localSession = createSessions(access.local);
  return {
    gateway,
    config,
    problems: [...located.problems, ...(access.rights?.policy.problems ?? [])],
    access,
    exposure,
    workspaceTools: () => local.reports(),
    plugins: plugins.port,
    locatedPlugins: () => plugins.located(),
    idlePatterns: parts.idlePatterns,
    trust: { isTrusted, ...(file !== undefined && { file }), ...(sha256 !== undefined && { sha256 }) },
    localSession,
    subSession: createSubSessions(access),
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
      opened: access,
      exposure,
      telling,
      localSession,
      stateDirectory: state.directory,
      folder: realpathSync(options.cwd),
      warn: (message, fields) => log('warn', message, fields),
    }),
    close: parts.close,
  };
}

function narrowed(access: Access, patterns: readonly string[] | undefined): Access {
  return patterns === undefined ? access : withToolFilter(access, patterns);
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

/** Short and unique per start, so that request ids of two runs do not collide in a log. */
function runId(): string {
  return `${Date.now().toString(36)}${process.pid.toString(36)}`;
}
