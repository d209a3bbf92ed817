import { describe, expect, it } from 'vitest';
import { telemetryFromEnvironment } from './telemetry-environment.js';

describe('the variables of OpenTelemetry', () => {
  it('have no effect if they are unset, empty, invalid or disabled', () => {
    expect(telemetryFromEnvironment({})).toBeUndefined();
    expect(telemetryFromEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
    expect(telemetryFromEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: 'not an address' })).toBeUndefined();
    expect(
      telemetryFromEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h:1', OTEL_SDK_DISABLED: 'true' }),
    ).toBeUndefined();
  });

  it('add the path to a base address, and leave an exact address unchanged', () => {
    expect(telemetryFromEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h:4318/' })?.endpoint).toBe(
      'http://h:4318/v1/traces',
    );
    expect(
      telemetryFromEnvironment({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h:4318',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t/x',
      })?.endpoint,
    ).toBe('http://t/x');
  });

  it('set headers and the service name', () => {
    expect(
      telemetryFromEnvironment({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h:4318',
        OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b, other=c=d,,',
        OTEL_SERVICE_NAME: 'mine',
      }),
    ).toEqual({
      endpoint: 'http://h:4318/v1/traces',
      headers: { 'api-key': 'a b', other: 'c=d' },
      serviceName: 'mine',
    });
  });
});
