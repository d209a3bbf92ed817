import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findConfig, operatorConfig } from './find.js';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-find-')));
const put = (...path: string[]) => {
  mkdirSync(join(root, ...path.slice(0, -1)), { recursive: true });
  writeFileSync(join(root, ...path), '');
};

beforeAll(() => {
  put('a', 'tidegate.yaml');
  put('a', 'tidegate.yml');
  put('a', 'b', 'c', 'x');
  put('a', 'b', 'd', 'tidegate.yml');
  put('own', 'tidegate.yaml');
  put('xdg', 'tidegate', 'tidegate.yaml');
  put('home', '.config', 'tidegate', 'tidegate.yml');
  mkdirSync(join(root, 'a', 'folder', 'tidegate.yaml'), { recursive: true });
  symlinkSync(join(root, 'nowhere'), join(root, 'a', 'b', 'c', 'tidegate.yaml'));
});
afterAll(() => rmSync(root, { recursive: true }));

describe('findConfig', () => {
  it('finds the file in this directory or the nearest one above', () => {
    expect(findConfig(join(root, 'a'))).toBe(join(root, 'a', 'tidegate.yaml'));
    expect(findConfig(join(root, 'a', 'b', 'd'))).toBe(join(root, 'a', 'b', 'd', 'tidegate.yml'));
  });

  it('skips directories and dangling links with that name, and accepts a missing start directory', () => {
    expect(findConfig(join(root, 'a', 'folder'))).toBe(join(root, 'a', 'tidegate.yaml'));
    expect(findConfig(join(root, 'a', 'b', 'c'))).toBe(join(root, 'a', 'tidegate.yaml'));
    expect(findConfig(join(root, 'a', 'no', 'such', 'place'))).toBe(join(root, 'a', 'tidegate.yaml'));
  });

  it('stops at the root of the file system', () => {
    expect(findConfig('/')).toBeUndefined();
  });
});

describe('operatorConfig', () => {
  it('looks into TIDEGATE_HOME, then into the config home', () => {
    const all = {
      TIDEGATE_HOME: join(root, 'own'),
      XDG_CONFIG_HOME: join(root, 'xdg'),
      HOME: join(root, 'home'),
    };
    expect(operatorConfig(all, 'linux')).toBe(join(root, 'own', 'tidegate.yaml'));
    expect(operatorConfig({ ...all, TIDEGATE_HOME: root }, 'linux')).toBe(
      join(root, 'xdg', 'tidegate', 'tidegate.yaml'),
    );
    const home = join(root, 'home', '.config', 'tidegate', 'tidegate.yml');
    expect(operatorConfig({ HOME: all.HOME }, 'linux')).toBe(home);
    expect(operatorConfig({ HOME: all.HOME, XDG_CONFIG_HOME: 'relative' }, 'darwin')).toBe(home);
    expect(operatorConfig({ HOME: root }, 'linux')).toBeUndefined();
  });
});
