export { attenuate } from './chain.js';
export { type Credentials, openCredentials, type Resolved } from './credentials.js';
export { identityCodes, IdentityError, type IdentityCode } from './identity-error.js';
export { NotAllowed } from './checked-write.js';
export { type Actor, createTokenAdmin, type MadeToken, type TokenAdmin } from './token-admin.js';
export { isTokenSecret, readBearer } from './token-secret.js';
export type { TokenView } from './token-view.js';
export type { ChildTokenOptions } from './token-options.js';
