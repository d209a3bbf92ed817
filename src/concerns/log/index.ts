export { type Log, type LogOptions, type LogThreshold, logLevels, openLog, type Severity } from './log.js';
export { redactText } from './redact.js';
