import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { homeProblem, prepareStateDirectory } from './state-directory.js';
import { stateDirectory } from './state-path.js';

const root = mkdtempSync(join(tmpdir(), 'tidegate-state-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('the state directory', () => {
  it.each([
    [{ TIDEGATE_HOME: '/t', XDG_STATE_HOME: '/x', HOME: '/h' }, 'linux', '/t'],
    [{ XDG_STATE_HOME: '/x', HOME: '/h' }, 'linux', '/x/tidegate'],
    [{ XDG_STATE_HOME: 'relative', HOME: '/h' }, 'linux', '/h/.local/state/tidegate'],
    [{ TIDEGATE_HOME: '', XDG_STATE_HOME: '', HOME: '/h' }, 'linux', '/h/.local/state/tidegate'],
    [{ HOME: '/h' }, 'darwin', '/h/Library/Application Support/tidegate'],
    [{ LOCALAPPDATA: '/l', USERPROFILE: '/u' }, 'win32', '/l/tidegate'],
    [{ USERPROFILE: '/u' }, 'win32', '/u/AppData/Local/tidegate'],
  ] as const)('for %j on %s is %s', (environment, platform, expected) => {
    expect(stateDirectory(environment, platform)).toBe(expected);
  });

  it.each([
    [{ HOME: '/h' }, undefined],
    [{ TIDEGATE_HOME: '', HOME: '/h' }, undefined],
    [{ TIDEGATE_HOME: '/t', HOME: '/h' }, undefined],
    [{ TIDEGATE_HOME: 'state', HOME: '/h' }, join(process.cwd(), 'state')],
    [{ TIDEGATE_HOME: './a/../b', HOME: '/h' }, join(process.cwd(), 'b')],
    [{ TIDEGATE_HOME: '~/.tidegate', HOME: '/h' }, '/h/.tidegate'],
  ])(
    'given as %j is refused if it is relative, with the absolute path as a suggestion',
    (environment, meant) => {
      const problem = homeProblem(environment);
      expect(problem?.code).toBe(meant && 'config.relative_home');
      expect(problem?.remedy).toBe(meant && `Set TIDEGATE_HOME to an absolute path, such as ${meant}`);
    },
  );

  it('is created for this user only', () => {
    const directory = join(root, 'new', 'tidegate');
    expect(prepareStateDirectory(directory)).toBeUndefined();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(prepareStateDirectory(directory)).toBeUndefined();
  });

  it('is refused and left unchanged if every user can write to it', () => {
    const directory = join(root, 'open');
    mkdirSync(directory);
    chmodSync(directory, 0o1777);
    expect(prepareStateDirectory(directory)).toMatchObject({
      code: 'state.unsafe',
      severity: 'error',
      file: directory,
    });
    expect(statSync(directory).mode & 0o7777).toBe(0o1777);
  });

  it.runIf(process.getuid?.() === 0)('is refused if it belongs to another user', () => {
    const directory = join(root, 'foreign');
    mkdirSync(directory);
    chownSync(directory, 12_345, 12_345);
    expect(prepareStateDirectory(directory)).toMatchObject({ code: 'state.unsafe' });
  });

  it('is reported as a problem if it cannot be created', () => {
    writeFileSync(join(root, 'file'), '');
    expect(prepareStateDirectory(join(root, 'file', 'below'))).toMatchObject({ code: 'state.unwritable' });
    expect(prepareStateDirectory(join(root, 'file'))).toMatchObject({ code: 'state.unwritable' });
    symlinkSync('loop', join(root, 'loop'));
    expect(prepareStateDirectory(join(root, 'loop'))).toMatchObject({ code: 'state.unwritable' });
  });

  it.runIf(process.platform === 'linux')(
    'is reported as a problem, without hanging, if no directory can be there',
    () => {
      expect(prepareStateDirectory('/proc/nowhere/x')).toMatchObject({ code: 'state.unwritable' });
    },
  );
});
