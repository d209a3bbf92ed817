export { sweepLeases } from './lease.js';
export { openProcesses } from './processes.js';
