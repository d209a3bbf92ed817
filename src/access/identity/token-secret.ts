import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new token. The secret is for its holder and is kept nowhere; the id tells nothing of it. */
export interface MintedToken {
  readonly secret: string;
  readonly hash: string;
  readonly id: string;
}

const prefix = 'tgt_';
const secretShape = /^tgt_[\w-]{43}$/;
const idShape = /^tok_[a-km-np-z2-9]{12}$/;
// 32 signs that nobody takes for one another when reading aloud.
const idSigns = 'abcdefghijkmnpqrstuvwxyz23456789';
const idLength = 12;

export function mintToken(): MintedToken {
  const secret = `${prefix}${randomBytes(32).toString('base64url')}`;
  const signs = Array.from(randomBytes(idLength), (byte) => idSigns.charAt(byte % idSigns.length));
  return { secret, hash: hashToken(secret), id: `tok_${signs.join('')}` };
}

/** What is kept of a secret: all of its SHA-256, as 64 hex digits. */
export function hashToken(secret: string): string {
  return hash('sha256', secret, 'hex');
}

export function isTokenSecret(text: string): boolean {
  return secretShape.test(text);
}

export function isTokenId(text: string): boolean {
  return idShape.test(text);
}

/** In constant time over the whole length: where two hashes differ tells nobody anything. */
export function isSameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const longestHeader = 512;
const bearer = /^Bearer +([\w.~+/-]+=*) *$/i;

/** What stands behind `Bearer`, and nothing else: no other scheme, no list, no second word. */
export function readBearer(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > longestHeader) return undefined;
  return bearer.exec(authorization)?.[1];
}
