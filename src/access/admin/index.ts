export { createDesk, type Desk } from './admin.js';
export { type DeskCode, deskCodes, DeskError } from './admin-error.js';
export type { ExplainOptions } from './explain.js';
export type { DeskCatalogue, DeskParts } from './parts.js';
