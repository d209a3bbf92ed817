import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new token. The secret is never stored, and the id reveals nothing about it. */
export interface MintedToken {
  readonly secret: string;
  readonly hash: string;
  readonly id: string;
}

const prefix = 'tgt_';
const secretShape = /^tgt_[\w-]{43}$/;
const idShape = /^tok_[a-km-np-z2-9]{12}$/;
// 32 characters that cannot be confused when read aloud.
const idSigns = 'abcdefghijkmnpqrstuvwxyz23456789';
const idLength = 12;

export function mintToken(): MintedToken {
  const secret = `${prefix}${randomBytes(32).toString('base64url')}`;
  const signs = Array.from(randomBytes(idLength), (byte) => idSigns.charAt(byte % idSigns.length));
  return { secret, hash: hashToken(secret), id: `tok_${signs.join('')}` };
}

/** The stored form of a secret: its full SHA-256 as 64 hex digits. */
export function hashToken(secret: string): string {
  return hash('sha256', secret, 'hex');
}

export function isTokenSecret(text: string): boolean {
  return secretShape.test(text);
}

export function isTokenId(text: string): boolean {
  return idShape.test(text);
}

/** Constant-time comparison. */
export function isSameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const longestHeader = 512;
const bearer = /^Bearer +([\w.~+/-]+=*) *$/i;

/** The token after `Bearer`. Refuses other schemes, lists and extra words. */
export function readBearer(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > longestHeader) return undefined;
  return bearer.exec(authorization)?.[1];
}
