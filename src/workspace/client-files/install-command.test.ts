import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installCommand, isPassing } from './install-command.js';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-install-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function put(path: string, text = ''): string {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
  return join(base, path);
}

describe('a program that npx started', () => {
  const cache = 'cache/_npx/0a1b';
  const given = (tidegate: unknown): string => {
    put(`${cache}/package.json`, JSON.stringify({ dependencies: { tidegate } }));
    return installCommand('1.2.3', put(`${cache}/node_modules/tidegate/dist/tidegate.js`));
  };

  it('is installed from what npx was given', () => {
    const file = put('my files/tidegate-1.2.3.tgz');
    expect(given('file:../../../my files/tidegate-1.2.3.tgz')).toBe(`npm install --global '${file}'`);
    expect(given('https://example.test/t.tgz')).toBe('npm install --global https://example.test/t.tgz');
    expect(given('^1.2.3')).toBe('npm install --global tidegate@1.2.3');
  });

  it('is installed from a file named as by npm pack if the original is missing or unknown', () => {
    const guess = 'npm install --global ./tidegate-1.2.3.tgz';
    expect([given('file:../../../gone.tgz'), given(7)]).toEqual([guess, guess]);
    put(`${cache}/package.json`, 'no JSON');
    expect(installCommand('1.2.3', join(base, cache, 'node_modules/tidegate/dist/tidegate.js'))).toBe(guess);
  });

  it('is recognized as temporary', () => {
    expect(isPassing(join(base, cache, 'node_modules/tidegate/dist/tidegate.js'))).toBe(true);
    expect(isPassing(join(base, 'clone/dist/tidegate.js'))).toBe(false);
  });
});

it('a program in a folder is installed from that folder', () => {
  const program = put('my clone/dist/tidegate.js');
  expect(installCommand('1.2.3', program)).toBe(`npm install --global '${join(base, 'my clone')}'`);
});

it('an installed program only needs its folder on PATH', () => {
  const program = put('lib/node_modules/tidegate/dist/tidegate.js');
  put('bin/tidegate');
  expect(installCommand('1.2.3', program)).toBe(
    `add ${join(base, 'bin')} to PATH: tidegate is installed there`,
  );
});
