export { type Log, type LogThreshold, openLog } from './log.js';
export { createLineRedactor, redactText } from './redact.js';
