export { type Log, type LogThreshold, openLog } from './log.js';
export { redactText } from './redact.js';
