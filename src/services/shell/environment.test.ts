import { describe, expect, it } from 'vitest';
import { commandEnvironment } from './environment.js';

const parts = { interpreter: '/bin/bash', temporary: '/private', sandbox: 'none' } as const;

describe('the environment of a command', () => {
  it('contains what a shell needs, and what the operator configures', () => {
    const env = commandEnvironment({
      ...parts,
      env: { PATH: '/opt/bin', GREETING: 'hi', NOTHING: undefined },
    });
    expect(env).toMatchObject({ PATH: '/opt/bin', GREETING: 'hi', SHELL: '/bin/bash', TMPDIR: '/private' });
    expect(Object.keys(env)).not.toContain('NOTHING');
    expect(Object.keys(commandEnvironment({ ...parts, env: {} }))).toEqual(
      expect.arrayContaining(['PATH', 'HOME', 'LANG', 'TERM', 'SHELL', 'TMPDIR']),
    );
  });

  it('inherits nothing from the gateway', () => {
    process.env['TIDEGATE_TEST_CANARY'] = 'seen';
    process.env['CANARY'] = 'seen';
    expect(JSON.stringify(commandEnvironment({ ...parts, env: {} }))).not.toContain('seen');
    delete process.env['TIDEGATE_TEST_CANARY'];
    delete process.env['CANARY'];
  });

  it('drops variables that a shell would execute, and those of the gateway', () => {
    const env = {
      BASH_ENV: '/x',
      ENV: '/x',
      'BASH_FUNC_ls%%': '() { :; }',
      LD_PRELOAD: '/x',
      TIDEGATE_TOKEN: 'x',
    };
    expect(Object.values(commandEnvironment({ ...parts, env }))).not.toContain('/x');
    expect(Object.keys(commandEnvironment({ ...parts, env })).filter((name) => name in env)).toEqual([]);
  });

  it('disables terminals, editors and pagers, whatever the operator has set', () => {
    const env = commandEnvironment({ ...parts, env: { TERM: 'xterm', EDITOR: 'vim', PAGER: 'less' } });
    expect(env).toMatchObject({
      TERM: 'dumb',
      EDITOR: 'true',
      GIT_EDITOR: 'true',
      PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
    });
  });

  it('moves caches out of the read-only home in the sandbox', () => {
    const env = commandEnvironment({
      ...parts,
      sandbox: 'bubblewrap',
      env: { XDG_CACHE_HOME: '/home/me/.cache' },
    });
    expect(env).toMatchObject({
      TMPDIR: '/tmp',
      XDG_CACHE_HOME: '/tmp/.cache',
      npm_config_cache: '/tmp/.npm',
    });
  });
});
