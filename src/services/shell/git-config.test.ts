import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseGitConfig } from './git-config.js';

const folder = mkdtempSync(join(tmpdir(), 'tidegate-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The same file, as git itself reads it. */
function asGit(text: string): readonly string[] {
  const file = join(folder, 'config');
  writeFileSync(file, text);
  const out = execFileSync('git', ['config', '-f', file, '--list', '-z', '--no-includes'], {
    encoding: 'utf8',
  });
  return out.split('\0').filter((one) => one !== '');
}

const texts: readonly string[] = [
  '[core]\n\thooksPath = .githooks\n',
  '[CORE]HooksPath=.githooks # why\n',
  '[include]\n path = "a b/c.inc" ; note\n\tpath = "d#e"\n',
  '[includeIf "gitdir:~/x/"]\n\tpath = one\\\n\ttwo\n',
  '[alias]\n\tx = "!sh -c \\"./a.sh \\\\\\"$1\\\\\\"\\" -"\n',
  '[filter "l f\\"s\\\\"]\n\tclean = ./clean.sh %f\n',
  '[diff.Word]\n\ttextconv = ./conv\t \n[a "B"] c = d\n',
  '\uFEFF[core]\r\n\teditor = ./edit\r\n',
  '# only\n; remarks\n[x]\n',
  '[core]\n\tfsmonitor = one "two  " three   # end\n',
  '[x][core]fsmonitor = y\n[a] [b "c"] d = e\n',
  '[core]\n# note \\\n\tfsmonitor = y\n',
  '[core]\n\ta = "b # c" # note \\\n\tfsmonitor = y\n',
  '[core]\n\ta = "b # c \\\nd" \\\n e ; note \\\n\tfsmonitor = y\n',
];

describe('git configuration', () => {
  it.each(texts)('is read as git reads it: %j', (text) => {
    const read = parseGitConfig(text).map(({ key, value }) => `${key}\n${value}`);
    expect(read).toEqual(asGit(text));
  });

  it('treats a setting without a value as true, and skips what git refuses', () => {
    expect(parseGitConfig('[core]\n\tfsmonitor\n\t= x\n[broken\n')).toEqual([
      { key: 'core.fsmonitor', value: 'true' },
    ]);
  });
});
