import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashToken, isSameHash, isTokenId, isTokenSecret, mintToken, readBearer } from './token-secret.js';

describe('a new token', () => {
  it('has 256 random bits after a prefix that people and scanners recognize', () => {
    const { secret, hash, id } = mintToken();
    expect(secret).toMatch(/^tgt_[\w-]{43}$/);
    expect(Buffer.from(secret.slice(4), 'base64url')).toHaveLength(32);
    expect(isTokenSecret(secret)).toBe(true);
    expect(id).toMatch(/^tok_[a-z2-9]{12}$/);
    expect(isTokenId(id)).toBe(true);
    expect(hash).toBe(createHash('sha256').update(secret).digest('hex'));
  });

  it('is unique, and its id reveals nothing about it', () => {
    const made = Array.from({ length: 500 }, mintToken);
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(500);
    expect(new Set(made.map(({ id }) => id)).size).toBe(500);
    for (const { secret, hash, id } of made) {
      expect(secret).not.toContain(id.slice(4, 10));
      expect(hash).not.toContain(id.slice(4, 10));
    }
  });
});

describe('isTokenSecret and isTokenId', () => {
  it.each([
    '',
    'tgt_',
    `tgt_${'a'.repeat(42)}`,
    `tgt_${'a'.repeat(44)}`,
    `tg_${'a'.repeat(43)}`,
    `TGT_${'a'.repeat(43)}`,
    `tgt_${'a'.repeat(42)}=`,
    `tgt_${'a'.repeat(43)}\n`,
    ` tgt_${'a'.repeat(43)}`,
  ])('do not accept %j as a secret', (text) => expect(isTokenSecret(text)).toBe(false));

  it.each([
    '',
    'tok_',
    'tok_aaaaaaaaaaa',
    'tok_aaaaaaaaaaaaa',
    'tok_aaaaaaaaaaa0',
    'tok_AAAAAAAAAAAA',
    "tok_' or 1=1",
  ])('do not accept %j as an id', (text) => expect(isTokenId(text)).toBe(false));
});

describe('isSameHash', () => {
  it('compares every digit', () => {
    const right = hashToken('a');
    expect(isSameHash(right, hashToken('a'))).toBe(true);
    for (let at = 0; at < right.length; at += 1) {
      const wrong = right.slice(0, at) + (right[at] === '0' ? '1' : '0') + right.slice(at + 1);
      expect(isSameHash(right, wrong)).toBe(false);
    }
    expect(isSameHash(right, right.slice(0, 16))).toBe(false);
    expect(isSameHash(right, right.toUpperCase())).toBe(false);
    expect(isSameHash('', '')).toBe(true);
  });
});

describe('readBearer', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER   abc  ', 'abc'],
    ['Bearer a.b_c~d+e/f-g==', 'a.b_c~d+e/f-g=='],
  ])('reads %j', (header, token) => expect(readBearer(header)).toBe(token));

  it.each([
    undefined,
    '',
    ' ',
    'Bearer',
    'Bearer ',
    'abc',
    ' Bearer abc',
    'Basic abc',
    'Bearerabc',
    'Bearer:abc',
    'Bearer\tabc',
    'Bearer a b',
    'Bearer abc, Bearer abc',
    'Bearer abc,def',
    'Bearer "abc"',
    'Bearer a=b',
    'Bearer abc\n',
    'Bearer äbc',
    'Digest Bearer abc',
    `Bearer ${'a'.repeat(600)}`,
  ])('refuses %j', (header) => expect(readBearer(header)).toBeUndefined());
});
