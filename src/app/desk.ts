export { type DeskCode, DeskError } from '../access/desk/index.js';
export { StoreError } from '../access/ports.js';
export { type OpenDesk, openDesk } from './open-desk.js';
