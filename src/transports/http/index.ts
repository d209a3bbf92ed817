export type { CredentialWatch, Identify } from './identify.js';
export type { HttpWorkspace } from './open-workspace.js';
export { serveHttp } from './serve-http.js';
export type { HttpCode } from './http-codes.js';
