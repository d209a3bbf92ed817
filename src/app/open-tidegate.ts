import { userInfo } from 'node:os';
import { createAccess } from '../access/index.js';
import { type LogThreshold, openLog, redactText } from '../concerns/log/index.js';
import { type Config, describeProblem, type Environment, hasErrors, type Problem } from '../config/index.js';
import { type Gateway, openGateway } from '../gateway/index.js';
import {
  type Observer,
  type Principal,
  principalKey,
  type Session,
  type SessionScope,
  type ToolModule,
} from '../kernel/index.js';
import { createLocalProvider } from '../providers/local/index.js';
import { openFileMemory } from '../providers/mcp/index.js';
import { openProcesses, sweepLeases } from '../services/processes/index.js';
import { createEagerSurface } from '../surface/index.js';
import { createWireCommon } from '../wire/index.js';
import { openLiveConfig } from './live-config.js';
import { locateConfig, openState } from './locate-config.js';
import { createServing, type Serving } from './serving.js';
import { createServerProviders } from './server-providers.js';

export interface TidegateOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly version: string;
  /** A file to read instead of the nearest `tidegate.yaml`. */
  readonly configFile?: string;
  /** `stdio` and `http` follow the configuration file while they run; `command` reads it once. */
  readonly mode: 'stdio' | 'http' | 'command';
  readonly logLevel?: Config['log']['level'];
  /** Tools of the embedding program, beside those of the configured servers. */
  readonly tools?: readonly ToolModule[];
}

/** A running gate. */
export interface Tidegate extends Serving {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly problems: readonly Problem[];
  readonly trust: { readonly file?: string; readonly sha256?: string; readonly isTrusted: boolean };
  operatorSession(scope: SessionScope): Session;
  newRequestId(): string;
  close(): Promise<void>;
}

/** The configuration has errors: nothing was opened. */
export class ConfigRefused extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.problems = problems;
  }
}

/** How long a closing gate waits for servers before the keeper takes over. */
const closeMs = 60;
/** How long a closing gate waits for the collector. */
const lastSpansMs = 500;

export async function openTidegate(options: TidegateOptions): Promise<Tidegate> {
  const state = openState(options.env);
  if (state.problem) throw new ConfigRefused([state.problem]);
  const located = await locateConfig(options, state.trust);
  if (hasErrors(located.problems)) throw new ConfigRefused(located.problems);
  const { config } = located;

  const log = openLog({ level: logLevel(options, config), stream: 'stderr', ...fileOf(config.log) });
  const collector = config.telemetry ?? telemetryFromEnvironment(options.env);
  const telemetry = collector && (await openTelemetryLate(collector, options.version));
  void sweepLeases(state.directory);
  const processes = openProcesses({
    stateDir: state.directory,
    log: (line) => log.write('warn', line),
  });
  const servers = createServerProviders({
    env: options.env,
    processes,
    memory: openFileMemory(state.directory),
    version: options.version,
    log: (severity, message, fields) => log.write(severity, message, { ...fields }),
  });
  servers.apply(config, located.isTrusted);
  const fixed = options.tools ? [createLocalProvider('local', 'builtin', options.tools)] : [];
  const operator: Principal = { kind: 'user', id: userName(), zone: 'local' };
  const observers: readonly Observer[] = [log.observer, ...(telemetry ? [telemetry.observer] : [])];
  const gateway = openGateway({
    providers: [...fixed, ...servers.current()],
    access: createAccess((principal) => principalKey(principal) === principalKey(operator)),
    surface: createEagerSurface(),
    interceptors: [],
    observers,
    now: () => performance.now(),
  });
  const common = createWireCommon(options.version, runId());
  const live =
    options.mode === 'command'
      ? undefined
      : openLiveConfig({
          place: options,
          state,
          gateway,
          servers,
          fixed,
          first: located,
          log: (severity, message, fields) => log.write(severity, message, fields),
        });
  let sessions = 0;
  const operatorSession = (scope: SessionScope): Session => {
    sessions += 1;
    return { id: `${scope}-${String(sessions)}`, principal: operator, scope };
  };

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    live?.close();
    await atMost(closeMs, gateway.close());
    await processes.close();
    await Promise.all([telemetry && atMost(lastSpansMs, telemetry.close()), log.close()]);
  }

  return {
    gateway,
    config,
    problems: located.problems,
    trust: {
      isTrusted: located.isTrusted,
      ...(located.file !== undefined && { file: located.file }),
      ...(located.sha256 !== undefined && { sha256: located.sha256 }),
    },
    operatorSession,
    newRequestId: common.newRequestId,
    ...createServing({ gateway, common, config, operator, operatorSession, stateDirectory: state.directory }),
    close: () => (closing ??= close()),
  };
}

/** A person who runs one command reads its output, not a log; a log file is written all the same. */
function logLevel({ logLevel: asked, mode }: TidegateOptions, { log }: Config): LogThreshold {
  const level = asked ?? (mode === 'command' && log.file === undefined ? 'silent' : log.level);
  return level === 'trace' ? 'debug' : level;
}

function fileOf({ file }: Config['log']): { readonly file?: string } {
  return file === undefined ? {} : { file };
}

async function openTelemetryLate(
  config: NonNullable<Config['telemetry']>,
  version: string,
): Promise<{ readonly observer: Observer; close(): Promise<void> }> {
  const { openTelemetry } = await import('../concerns/telemetry/index.js');
  return openTelemetry({ ...config, version, redact: redactText });
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    work,
    new Promise((resolve) => {
      timer = setTimeout(resolve, ms);
    }),
  ]);
  clearTimeout(timer);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'operator';
  }
}

/** Short, and different for every start, so that request ids of two runs never meet in a log. */
function runId(): string {
  return `${Date.now().toString(36)}${process.pid.toString(36)}`;
}
