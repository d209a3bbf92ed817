import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { coverLines } from './cover-start.js';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-widen-')));
  for (const folder of ['project', 'other']) mkdirSync(join(base, folder));
  writeFileSync(join(base, 'other', 't.sh'), 'echo hello\n');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function covers(line: string, isWide: boolean): boolean {
  const [cwd, other] = [join(base, 'project'), join(base, 'other')];
  const { files, problem } = coverLines([line], [cwd], { roots: [cwd, other], isWide });
  expect(problem).toBeUndefined();
  return files.some(({ file }) => file.startsWith(other));
}

describe('a command outside the sandbox', () => {
  it.each(['cd ../other && ./t.sh', 'O=../other; sh $O/t.sh', 'bash -e  /../other/t.sh'])(
    'covers every root if it runs something that cannot be followed: %s',
    (line) => {
      expect(covers(line, true)).toBe(true);
    },
  );

  it('covers only what it names if it can be followed (control)', () => {
    expect(covers('echo hello', true)).toBe(false);
  });
});
