export { createDesk, type Desk } from './desk.js';
export { type DeskCode, DeskError } from './desk-error.js';
export type { ExplainOptions } from './explain.js';
export type { DeskCatalogue, DeskParts } from './parts.js';
