export { type Audit, type AuditParts, openAudit } from './open-audit.js';
