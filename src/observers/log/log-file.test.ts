import { execFileSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogFileError, openLogFile } from './log-file.js';

describe.skipIf(process.platform === 'win32')('[15.41] the log file', () => {
  let base: string;
  const at = (...names: readonly string[]) => join(base, ...names);
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-log-file-')));
    writeFileSync(at('victim'), 'as it was');
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const kindOf = (path: string, shared?: readonly string[]): string => {
    try {
      closeSync(openLogFile(path, shared));
      return 'opened';
    } catch (error) {
      if (error instanceof LogFileError) return error.kind;
      throw error;
    }
  };

  it('is created with its folders, for the owner only, and appended to', () => {
    for (const line of ['one', 'two']) {
      const fd = openLogFile(at('deep', 'log'), [base]);
      writeSync(fd, line);
      closeSync(fd);
    }
    expect(readFileSync(at('deep', 'log'), 'utf8')).toBe('onetwo');
    expect(statSync(at('deep', 'log')).mode & 0o777).toBe(0o600);
  });

  it('is not a symbolic link, whether its target exists or not', () => {
    symlinkSync('victim', at('link'));
    symlinkSync('nothing', at('dangling'));
    expect([kindOf(at('link')), kindOf(at('dangling'))]).toEqual(['unsafe', 'unsafe']);
    expect([readFileSync(at('victim'), 'utf8'), existsSync(at('nothing'))]).toEqual(['as it was', false]);
  });

  it('is not a pipe with or without a reader, a folder or a device', () => {
    execFileSync('mkfifo', [at('pipe')]);
    expect(kindOf(at('pipe'))).toBe('unsafe');
    mkdirSync(at('folder'));
    expect(kindOf(at('folder'))).toBe('unwritable');
    expect(kindOf('/dev/null')).toBe('unsafe');
  });

  it('is not a hard link to another file', () => {
    linkSync(at('victim'), at('hard'));
    expect(kindOf(at('hard'))).toBe('unsafe');
  });

  it.skipIf(process.getuid?.() !== 0)('is not a file of another user', () => {
    chownSync(at('victim'), 12_345, 12_345);
    expect(kindOf(at('victim'))).toBe('unsafe');
  });

  it('is not reached through a link inside a folder that agents write to; elsewhere links are allowed', () => {
    mkdirSync(at('root', 'other'), { recursive: true });
    symlinkSync('other', at('root', 'logs'));
    symlinkSync('root', at('spelled'));
    expect(kindOf(at('root', 'logs', 'log'), [at('root')])).toBe('unsafe');
    expect(kindOf(at('root', 'logs', 'missing', 'log'), [at('root')])).toBe('unsafe');
    expect(existsSync(at('root', 'other', 'missing'))).toBe(false);
    expect(kindOf(at('spelled', 'other', 'log'), [at('spelled')])).toBe('opened');
    expect(kindOf(at('root', 'logs', 'log'))).toBe('opened');
  });
});
