export { type DeskCode, DeskError } from '../access/desk/index.js';
export { StoreError } from '../access/ports.js';
export { formatDocument, parseDocument } from './document-text.js';
export { type DeskOptions, type OpenDesk, openDesk } from './open-desk.js';
