import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBearerToken, readToken, tokenFile } from './bearer-token.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-token-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('the operator token', () => {
  it('is created once, shown once, and readable only by its owner', () => {
    const { fresh } = openBearerToken(directory);
    expect(fresh).toMatch(/^tg_[\w-]{43}$/);
    expect(openBearerToken(directory).fresh).toBeUndefined();
    expect(readToken(tokenFile(directory))).toBe(fresh);
    expect(statSync(tokenFile(directory)).mode & 0o777).toBe(0o600);
  });

  it('makes a file private that others could read', () => {
    writeFileSync(tokenFile(directory), 'tg_mine\n', { mode: 0o644 });
    openBearerToken(directory);
    expect(statSync(tokenFile(directory)).mode & 0o777).toBe(0o600);
  });

  it('matches itself and nothing else', () => {
    const token = openBearerToken(directory);
    const right = token.fresh ?? '';
    expect(token.matches(`Bearer ${right}`)).toBe(true);
    expect(token.matches(`bearer  ${right} `)).toBe(true);
    const wrong = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      right,
      `Basic ${right}`,
      `Bearer ${right}x`,
      `Bearer x${right}`,
    ];
    const flipped = Array.from(right, (_, i) => `Bearer ${right.slice(0, i)}\u0100${right.slice(i + 1)}`);
    for (const header of [
      ...wrong,
      ...flipped,
      `Bearer ${right.toLowerCase()}`,
      `Bearer ${right} ${right}`,
    ]) {
      expect(token.matches(header)).toBe(false);
    }
  });
});
