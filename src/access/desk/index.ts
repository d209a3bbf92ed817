export { createDesk, type Desk } from './desk.js';
export { type DeskCode, deskCodes, DeskError } from './desk-error.js';
export type { ExplainOptions } from './explain.js';
export type { DeskCatalogue, DeskParts } from './parts.js';
