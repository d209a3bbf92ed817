import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Trust } from '../config/index.js';
import { locateConfig } from './locate-config.js';

let directory = '';
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-locate-')));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function place(name: string): string {
  mkdirSync(join(directory, name));
  const file = join(directory, name, 'tidegate.yaml');
  writeFileSync(file, 'servers: { one: { command: ./server } }\n');
  return file;
}

/** Trusts one file, and does something just before it is asked, as somebody does who waits for that moment. */
function trustOf(trusted: string, before: () => void): Trust & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    isTrusted(file) {
      before();
      asked.push(file);
      return file === trusted;
    },
    record: () => undefined,
    forget: () => undefined,
    list: () => [],
    problem: () => undefined,
  };
}

describe('the folder that a configuration speaks of', () => {
  const nobody = trustOf('', () => undefined);

  it("is its own, or where we are when the file is the operator's or there is none", async () => {
    const file = place('project');
    const [env, cwd] = [
      { TIDEGATE_HOME: join(directory, 'home'), HOME: directory },
      join(directory, 'elsewhere'),
    ];
    mkdirSync(join(directory, 'project', 'below'));
    const below = await locateConfig({ cwd: join(directory, 'project', 'below'), env }, nobody);
    expect(below).toMatchObject({ file, folder: join(directory, 'project') });
    expect(await locateConfig({ cwd, env }, nobody)).toMatchObject({ folder: cwd });
    const own = place('home');
    const here = { folder: cwd, file: own, config: { workspace: { roots: [cwd] } } };
    expect(await locateConfig({ cwd, env }, nobody)).toMatchObject(here);
    // As a gate reads the file again that it found before.
    expect(await locateConfig({ cwd, env, configFile: own, folder: cwd }, nobody)).toMatchObject(here);
  });
});

describe('a configuration that is reached through a link', () => {
  it('is asked about under the path it was read from, wherever the link points by then', async () => {
    const [good, evil] = [place('good'), place('evil')];
    mkdirSync(join(directory, 'checkout'));
    const link = join(directory, 'checkout', 'tidegate.yaml');
    symlinkSync(evil, link);
    const trust = trustOf(good, () => {
      rmSync(link);
      symlinkSync(good, link);
    });
    const located = await locateConfig({ cwd: join(directory, 'checkout'), env: {} }, trust);
    expect(trust.asked).toEqual([evil]);
    expect(located).toMatchObject({ isTrusted: false, file: evil });
    // The control: who resolves the link once more at that moment finds the trusted file.
    expect(realpathSync(link)).toBe(good);
  });
});
