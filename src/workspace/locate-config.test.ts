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

/** Trusts one file, and runs an action just before the check, as an attacker would. */
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
    content: () => undefined,
    forget: () => undefined,
    list: () => [],
    problem: () => undefined,
  };
}

describe('the folder a configuration applies to', () => {
  const nobody = trustOf('', () => undefined);

  it("is the file's folder, or the current folder for the operator's file or none", async () => {
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
    // As when a gateway reloads the file.
    expect(await locateConfig({ cwd, env, configFile: own, folder: cwd }, nobody)).toMatchObject(here);
  });
});

describe('a configuration behind a link', () => {
  it('is checked under the path it was read from, even if the link changed meanwhile', async () => {
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
    // The control: resolving the link again at that moment finds the trusted file.
    expect(realpathSync(link)).toBe(good);
  });
});
