import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { grantOf, openLoginFiles } from './kept-login.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-logins-'));
  mkdirSync(join(folder, 'logins'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  [1_900_000_000_000, 1_900_000_000_000],
  [1e23, undefined],
  [-1e23, undefined],
  ['soon', undefined],
])('reads the expiry %s of a token as %s: always a time, or none', (until, read) => {
  const grants = { 'https://a.example': { metadata: {}, tokens: { access: 'x', until } } };
  const login = { format: 1, server: 'https://s.example', issuer: 'https://a.example', grants };
  writeFileSync(join(folder, 'logins', 'k.json'), JSON.stringify(login));
  expect(grantOf(openLoginFiles(folder, (_, work) => work()).read('k'))?.tokens).toMatchObject({
    access: 'x',
  });
  expect(grantOf(openLoginFiles(folder, (_, work) => work()).read('k'))?.tokens?.until).toBe(read);
});
