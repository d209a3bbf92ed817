export { type Log, type LogThreshold, openLog } from './log.js';
export { createLineRedactor, redactRecord, redactText } from './redact.js';
export { isSecretName } from './secret-names.js';
