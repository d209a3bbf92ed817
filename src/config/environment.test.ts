import { describe, expect, it } from 'vitest';
import { childEnvironment } from './environment.js';

describe('the environment of a child', () => {
  const own = {
    PATH: '/bin',
    HOME: '/home/ada',
    LANG: 'C',
    GITHUB_TOKEN: 'secret',
    NODE_OPTIONS: '--require evil',
    LD_PRELOAD: '/evil.so',
    SHELL: '() { :; }; evil',
  };

  it('is a base of ours and what the file names, and nothing else', () => {
    expect(childEnvironment(own, { A: 'b', HOME: '/other' }, 'linux')).toEqual({
      PATH: '/bin',
      LANG: 'C',
      HOME: '/other',
      A: 'b',
    });
  });

  it('would hand our secrets on if it were ours with additions (control)', () => {
    expect({ ...own, A: 'b' }).toHaveProperty('GITHUB_TOKEN');
    expect(childEnvironment(own, { A: 'b' }, 'linux')).not.toHaveProperty('GITHUB_TOKEN');
  });

  it('does not find variables that only every object has', () => {
    expect(childEnvironment({}, {}, 'linux')).toEqual({});
    expect(Object.entries(childEnvironment({}, Object.fromEntries([['__proto__', 'x']]), 'linux'))).toEqual([
      ['__proto__', 'x'],
    ]);
  });

  it('on Windows has each variable once, whatever its case', () => {
    const windows = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', Secret: 'x', TEMP: 'T' };
    expect(childEnvironment(windows, { temp: 'mine' }, 'win32')).toEqual({
      Path: 'C:\\bin',
      SystemRoot: 'C:\\Windows',
      temp: 'mine',
    });
  });
});
