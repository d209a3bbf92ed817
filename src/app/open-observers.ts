import { type Log, type LogThreshold, openLog, redactText } from '../concerns/log/index.js';
import { type Config, type Environment, telemetryFromEnvironment } from '../config/index.js';
import { atMost, type Attempt, type Observer, type OpenSpanFor } from '../kernel/index.js';

export interface ObserverParts {
  readonly config: Config;
  readonly env: Environment;
  readonly version: string;
  /** A person who runs one command reads its output, not a log. */
  readonly isCommand: boolean;
  readonly logLevel: Config['log']['level'] | undefined;
  /** What a trace says of an attempt beside what the attempt says itself. */
  readonly factsOf: (attempt: Attempt) => Readonly<Record<string, number>>;
  /** Where the log goes when the configuration names no file. */
  readonly logFile?: string;
}

export interface Observers {
  readonly log: Log;
  readonly all: readonly Observer[];
  /** There when spans are collected. */
  readonly openSpan?: OpenSpanFor;
  close(): Promise<void>;
}

/** How long a closing gate waits for the collector. */
const lastSpansMs = 500;

/** Opens the log, and the telemetry where a collector is named: nothing of it is loaded otherwise. */
export async function openObservers(parts: ObserverParts): Promise<Observers> {
  const { log: settings, telemetry: collector = telemetryFromEnvironment(parts.env) } = parts.config;
  const file = settings.file ?? parts.logFile;
  const log = openLog({
    level: levelOf(parts),
    stream: 'stderr',
    ...(file !== undefined && { file }),
  });
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
  const { openTelemetry } = await import('../concerns/telemetry/index.js');
  return openTelemetry({ ...collector, version, redact: redactText, factsOf });
}
