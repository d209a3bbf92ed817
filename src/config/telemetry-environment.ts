import type { TelemetryConfig } from './config.js';
import type { Environment } from './substitute.js';

/** Reads the standard OpenTelemetry variables, for when the file has no `telemetry` key. */
export function telemetryFromEnvironment(environment: Environment): TelemetryConfig | undefined {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: exact, OTEL_EXPORTER_OTLP_ENDPOINT: base } = environment;
  const endpoint = exact || (base && `${base.replace(/\/+$/, '')}/v1/traces`);
  if (!endpoint || environment['OTEL_SDK_DISABLED'] === 'true' || !URL.canParse(endpoint)) return undefined;
  return {
    endpoint,
    headers: readHeaders(environment['OTEL_EXPORTER_OTLP_HEADERS'] ?? ''),
    serviceName: environment['OTEL_SERVICE_NAME'] || 'tidegate',
  };
}

/** Parses comma-separated `name=value` pairs with percent-encoded values. */
function readHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => pair.split('='));
  return Object.fromEntries(
    pairs.flatMap(([name = '', ...value]) =>
      name.trim() ? [[name.trim(), decode(value.join('=').trim())]] : [],
    ),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
