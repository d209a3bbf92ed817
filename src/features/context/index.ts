export { costReport, type CostReport } from './cost-report.js';
export { recordedUses } from './recorded-uses.js';
export type { LiveParts, ContextSession } from './context-session.js';
export type { SessionTelling } from './tell-sessions.js';
