export { openAudit } from './open-audit.js';
