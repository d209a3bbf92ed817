export { openAudit } from './open-audit.js';
export { nearlyAll, pruneRecords } from './prune.js';
