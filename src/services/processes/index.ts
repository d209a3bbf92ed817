export { sweepLeases, type Swept } from './lease.js';
export { openProcesses, type ProcessesParts } from './processes.js';
