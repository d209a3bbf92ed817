export { createAdminService, type AdminService } from './admin.js';
export { type AdminCode, adminCodes, AdminError } from './admin-error.js';
export type { ExplainOptions } from './explain.js';
export type { AdminCatalog, AdminParts } from './parts.js';
