export { withKnownClean } from './known-clean.js';
export { type Log, type LogThreshold, openLog } from './log.js';
export { LogFileError } from './log-file.js';
export { createLineRedactor, redactRecord, redactText } from './redact.js';
export { isSecretName } from './secret-names.js';
