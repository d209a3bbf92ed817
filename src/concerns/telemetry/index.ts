export { openTelemetry, type Telemetry, type TelemetryOptions } from './telemetry.js';
