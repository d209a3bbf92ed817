import { type Credentials, isTokenSecret, readBearer, type Resolved } from '../access/identity/index.js';
import type { Soon } from '../access/ports.js';
import type { Caller } from '../kernel/index.js';
import type { CredentialWatch, Identify } from '../wire/http.js';

export interface IdentityParts {
  readonly auth: 'token' | 'none';
  /** Whether this is the operator's own token. */
  readonly isOperator: (authorization: string | undefined) => boolean;
  readonly operator: Caller;
  /** Looked for only for somebody who is not the operator. */
  readonly credentials: () => Soon<Credentials>;
  /** What nobody at this gate goes beyond. */
  readonly bound: (caller: Caller) => Caller;
}

/** The operator by the gate's own token, without any store; whoever else by a token of theirs. */
export function createIdentify({ auth, isOperator, operator, credentials, bound }: IdentityParts): Identify {
  const identified = (resolved: Resolved): ReturnType<Identify> => {
    if (resolved.kind === 'caller') return bound(resolved.caller);
    const { reason: refused, tokenId } = resolved;
    return tokenId === undefined ? { refused } : { refused, tokenId };
  };
  return (authorization) => {
    if (isOperator(authorization)) return operator;
    // A client that was given a token of its own does not become the operator when that is taken away.
    if (auth === 'none' && !isClientToken(authorization)) return operator;
    if (authorization === undefined) return { refused: 'no_identity' };
    // What cannot be a token makes nobody open a store for it.
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
  // However it is written: whoever was given a token and spells it wrongly is no operator.
  return authorization?.includes('tgt_') === true;
}

const tokenPrefix = 'token:';

/** How the credentials stand that callers came in with. The operator's own is good as long as the gate runs. */
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
