export { openTelemetry } from './telemetry.js';
