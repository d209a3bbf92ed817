export { acceptStore } from './accept-store.js';
export { type DeskCode, DeskError } from '../../access/admin/index.js';
export { StoreError } from '../../access/ports/index.js';
export { type OpenDesk, openDesk } from './open-admin.js';
export type { IdentityCode, OpenTokenDesk } from './open-token-admin.js';
