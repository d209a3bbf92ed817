export type { AdminDesk, DeskOrder, DeskReply, RefusedAttempt } from './admin/admin.js';
export type { CredentialWatch, Identify } from './mcp-http/identify.js';
export { serveHttp } from './mcp-http/serve-http.js';
