import { type Log, LogFileError, type LogThreshold, openLog, redactText } from '../observers/log/index.js';
import { type Config, createProblem, type Environment, telemetryFromEnvironment } from '../config/index.js';
import { atMost } from '../lib/at-most.js';
import type { Attempt, Observer, OpenSpanFor } from '../core/index.js';
import { ConfigRefused } from '../workspace/config-refused.js';

export interface ObserverParts {
  readonly config: Config;
  readonly env: Environment;
  readonly version: string;
  /** Commands print output instead of logging to stderr. */
  readonly isCommand: boolean;
  readonly logLevel: Config['log']['level'] | undefined;
  /** Extra trace attributes of an attempt. */
  readonly factsOf: (attempt: Attempt) => Readonly<Record<string, number>>;
  /** Log file if the configuration names none. */
  readonly logFile?: string;
}

export interface Observers {
  readonly log: Log;
  readonly all: readonly Observer[];
  /** Present if spans are collected. */
  readonly openSpan?: OpenSpanFor;
  close(): Promise<void>;
}

/** How long closing waits for the collector. */
const lastSpansMs = 500;

/** Opens the log. Telemetry is loaded only if a collector is configured. */
export async function openObservers(parts: ObserverParts): Promise<Observers> {
  const { log: settings, telemetry: collector = telemetryFromEnvironment(parts.env) } = parts.config;
  const file = settings.file ?? parts.logFile;
  const log = openLogOrRefuse(parts, file);
  const telemetry = collector && (await openTelemetryLate(collector, parts));
  return {
    log,
    all: telemetry ? [log.observer, telemetry.observer] : [log.observer],
    ...(telemetry && { openSpan: telemetry.openSpan }),
    async close() {
      await Promise.all([telemetry && atMost(lastSpansMs, telemetry.close()), log.close()]);
    },
  };
}

function openLogOrRefuse(parts: ObserverParts, file: string | undefined): Log {
  const shared = parts.config.workspace.roots;
  try {
    return openLog({ level: levelOf(parts), stream: 'stderr', shared, ...(file !== undefined && { file }) });
  } catch (error) {
    if (!(error instanceof LogFileError)) throw error;
    const { kind, message } = error;
    throw new ConfigRefused([createProblem(file ?? '', '', { code: `log.${kind}`, message })]);
  }
}

function levelOf({ config, isCommand, logLevel, logFile }: ObserverParts): LogThreshold {
  const { level } = config.log;
  const file = config.log.file ?? logFile;
  const wanted = logLevel ?? (isCommand && file === undefined ? 'silent' : level);
  return wanted === 'trace' ? 'debug' : wanted;
}

async function openTelemetryLate(
  collector: NonNullable<Config['telemetry']>,
  { version, factsOf }: ObserverParts,
): Promise<{ readonly observer: Observer; readonly openSpan: OpenSpanFor; close(): Promise<void> }> {
  const { openTelemetry } = await import('../observers/telemetry/index.js');
  return openTelemetry({ ...collector, version, redact: redactText, factsOf });
}
