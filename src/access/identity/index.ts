export { attenuate, type ChildWish, maxLinks } from './chain.js';
export {
  type CredentialParts,
  type Credentials,
  openCredentials,
  type RefusalReason,
  type Resolved,
} from './credentials.js';
export { readExpiry } from './expiry.js';
export { type IdentityCode, identityCodes, IdentityError } from './identity-error.js';
export {
  type Actor,
  createTokenDesk,
  type MadeToken,
  type RevokedToken,
  type RotatedToken,
  type TokenDesk,
  type TokenDeskParts,
} from './token-desk.js';
export { hashToken, isTokenSecret, type MintedToken, mintToken, readBearer } from './token-secret.js';
export type { TokenState, TokenView } from './token-view.js';
export type { ChildTokenWish, TokenWish } from './token-wish.js';
