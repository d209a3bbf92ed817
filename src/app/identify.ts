import { type Credentials, isTokenSecret, readBearer, type Resolved } from '../access/tokens/index.js';
import type { Soon } from '../access/ports/index.js';
import type { Caller } from '../core/index.js';
import type { CredentialWatch, Identify } from '../transports/http/index.js';

export interface IdentityParts {
  /** The current setting. */
  readonly auth: () => 'token' | 'none';
  /** Whether this is the operator token. */
  readonly isOperator: (authorization: string | undefined) => boolean;
  readonly operator: Caller;
  /** Called only for callers other than the operator. */
  readonly credentials: () => Soon<Credentials>;
  /** Applies the gateway's profile limit. */
  readonly bound: (caller: Caller) => Caller;
}

/** Identifies the operator by the operator token, without a store; everyone else by their own token. */
export function createIdentify({ auth, isOperator, operator, credentials, bound }: IdentityParts): Identify {
  const identified = (resolved: Resolved): ReturnType<Identify> => {
    if (resolved.kind === 'caller') return bound(resolved.caller);
    const { reason: refused, tokenId } = resolved;
    return tokenId === undefined ? { refused } : { refused, tokenId };
  };
  return (authorization) => {
    if (isOperator(authorization)) return operator;
    // A client whose token was revoked must not become the operator.
    if (auth() === 'none' && !isClientToken(authorization)) return operator;
    if (authorization === undefined) return { refused: 'no_identity' };
    // Do not open the store for text that cannot be a token.
    const secret = readBearer(authorization);
    if (secret === undefined || !isTokenSecret(secret)) return { refused: 'token_malformed' };
    const known = credentials();
    const resolved =
      known instanceof Promise
        ? known.then((opened) => opened.resolve(authorization))
        : known.resolve(authorization);
    return resolved instanceof Promise ? resolved.then(identified) : identified(resolved);
  };
}

function isClientToken(authorization: string | undefined): boolean {
  // Any spelling: a client with a malformed token is not the operator.
  return authorization?.includes('tgt_') === true;
}

const tokenPrefix = 'token:';

/** Whether the callers' credentials are still valid. The operator's is valid while the gateway runs. */
export function createCredentialWatch(
  credentials: () => Credentials | undefined,
  onChange: CredentialWatch['onChange'],
): CredentialWatch {
  return {
    isAlive: (credential) =>
      !credential.startsWith(tokenPrefix) ||
      credentials()?.isAlive(credential.slice(tokenPrefix.length)) === true,
    onChange,
  };
}
