import { describe, expect, it } from 'vitest';
import { childEnvironment } from './environment.js';

describe('the environment of a child process', () => {
  const own = {
    PATH: '/bin',
    HOME: '/home/ada',
    LANG: 'C',
    GITHUB_TOKEN: 'secret',
    NODE_OPTIONS: '--require evil',
    LD_PRELOAD: '/evil.so',
    SHELL: '() { :; }; evil',
  };

  it('contains a small base and the variables in the file, and nothing else', () => {
    expect(childEnvironment(own, { A: 'b', HOME: '/other' }, 'linux')).toEqual({
      PATH: '/bin',
      LANG: 'C',
      HOME: '/other',
      A: 'b',
    });
  });

  it('control: the environment of the gateway with additions would expose its secrets', () => {
    expect({ ...own, A: 'b' }).toHaveProperty('GITHUB_TOKEN');
    expect(childEnvironment(own, { A: 'b' }, 'linux')).not.toHaveProperty('GITHUB_TOKEN');
  });

  it('ignores properties that every object inherits', () => {
    expect(childEnvironment({}, {}, 'linux')).toEqual({});
    expect(Object.entries(childEnvironment({}, Object.fromEntries([['__proto__', 'x']]), 'linux'))).toEqual([
      ['__proto__', 'x'],
    ]);
  });

  it('contains each variable once on Windows, regardless of case', () => {
    const windows = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', Secret: 'x', TEMP: 'T' };
    expect(childEnvironment(windows, { temp: 'mine' }, 'win32')).toEqual({
      Path: 'C:\\bin',
      SystemRoot: 'C:\\Windows',
      temp: 'mine',
    });
  });
});
