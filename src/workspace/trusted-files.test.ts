import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Config, defaultConfig } from '../config/index.js';
import { openState } from './locate-config.js';
import { openTrustedFiles } from './trusted-files.js';

describe('[15.3] files that the operator trusted to run', () => {
  let root: string;
  let state: ReturnType<typeof openState>;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-locked-')));
    state = openState({ TIDEGATE_HOME: join(root, 'state') });
    for (const folder of ['work/srv/src', 'work/packages/one/src'])
      mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'work/packages/one/package.json'), '{}');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const at = (path = ''): string => join(root, 'work', path);
  interface More {
    readonly isLocked?: boolean;
    readonly isEnabled?: boolean;
    readonly guards?: { readonly fixed: readonly string[]; readonly absent: readonly string[] };
    readonly writable?: readonly string[];
    /** The configuration that the record belongs to. */
    readonly of?: string;
  }
  const relative = (paths: readonly string[]): readonly string[] =>
    paths.map((path) => path.slice(at().length + 1)).sort();
  function lockedPaths(covered: readonly string[], more: More = {}) {
    const file = at('tidegate.yaml');
    const covers = Object.fromEntries(covered.map((path) => [at(path), 'a'.repeat(64)]));
    const { isLocked = true, isEnabled = true, guards, writable = [], of = file } = more;
    const record = { covers, ...(guards && { guards }) };
    expect(state.trust.record(`${of}#servers.srv`, 'b'.repeat(64), record)).toBeUndefined();
    const config = {
      ...defaultConfig(at()),
      file,
      servers: [{ name: 'srv', isEnabled }],
      workspace: { roots: [at()], isLocked },
      shell: { writable },
    } as unknown as Config;
    return openTrustedFiles({ state }).locked(config);
  }
  const locked = (covered: readonly string[], more: More = {}): readonly string[] =>
    relative(lockedPaths(covered, more).program);

  it('are locked with their folder, or with their package if there is one', () => {
    expect(locked(['srv/server.mjs'])).toEqual(['srv']);
    expect(locked(['packages/one/src/server.mjs'])).toEqual(['packages/one']);
  });

  it('are whole folders if the folder is trusted as a whole', () => {
    expect(locked(['srv/src/pkg/**/*.py'])).toEqual(['srv/src']);
    expect(locked(['srv/lib/**'])).toEqual(['srv']);
  });

  it('do not lock the workspace, packages next to an installed one, or other keys of a file', () => {
    expect(locked(['server.mjs', '**'])).toEqual(['server.mjs']);
    expect(locked(['node_modules/dep'])).toEqual(['node_modules/dep']);
    expect(locked(['package.json (type and names)'])).toEqual([]);
    expect(locked(['srv/server (1)'])).toEqual(['srv']);
  });

  it('are not locked for a disabled server, or if the operator unlocks them (control)', () => {
    expect(locked(['srv/server.mjs'], { isEnabled: false })).toEqual([]);
    expect(locked(['srv/server.mjs'], { isLocked: false })).toEqual([]);
  });

  it('include the files of every configuration', () => {
    expect(locked(['srv/server.mjs'], { of: '/elsewhere/tidegate.yaml', isEnabled: false })).toEqual(['srv']);
    expect(locked(['../beyond/server.mjs'], { of: '/elsewhere/tidegate.yaml' })).toEqual([]);
  });

  it('are also locked in folders that commands may write to', () => {
    const writable = [join(root, 'tools')];
    mkdirSync(join(root, 'tools/srv'), { recursive: true });
    expect(lockedPaths(['../tools/srv/server.mjs'], { writable }).program).toEqual([join(root, 'tools/srv')]);
    expect(lockedPaths(['../tools/server.mjs'], { writable }).program).toEqual([
      join(root, 'tools/server.mjs'),
    ]);
  });

  it('include files that decide which files are loaded', () => {
    const guards = {
      fixed: [at('node_modules'), at()],
      absent: [at('package.json'), at('srv/node_modules'), at('packages/node_modules')],
    };
    const { program, absent } = lockedPaths(['srv/server.mjs', 'node_modules/dep'], { guards });
    expect(relative(program)).toEqual(['node_modules', 'srv']);
    expect(relative(absent)).toEqual(['package.json', 'packages/node_modules']);
  });
});
