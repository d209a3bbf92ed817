export { costReport, type CostReport } from './cost-report.js';
export { recordedUses } from './recorded-uses.js';
