import { expect, it } from 'vitest';
import { sha256Of } from './sha256.js';

it('hashes texts and bytes alike, in the encoding asked for', () => {
  const hex = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect([sha256Of('abc'), sha256Of(new TextEncoder().encode('abc'))]).toEqual([hex, hex]);
  expect(Buffer.from(sha256Of('abc', 'base64url'), 'base64url').toString('hex')).toBe(hex);
});
