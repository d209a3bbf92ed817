export { acceptStore } from './accept-store.js';
export { type AdminCode, AdminError } from '../../access/admin/index.js';
export { StoreError } from '../../access/ports/index.js';
export { type OpenAdmin, openAdminService } from './open-admin.js';
export type { IdentityCode, OpenTokenAdmin } from './open-token-admin.js';
