import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCheckRecords } from '../services/shell/unfinished-checks.js';
import { createStartHolds } from './start-holds.js';

describe('[15.3] a start while a Bash command runs', () => {
  let root: string;
  const recorded = '2026-01-01T12:00:00.000Z';
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-holds-')));
    mkdirSync(join(root, 'work/bad'), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const at = (path = ''): string => join(root, 'work', path);
  function holdFor(begunAt: number, locks: readonly string[] = []): Promise<string | undefined> {
    const covers = { [at('srv/server.mjs')]: 'a'.repeat(64) };
    const record = { file: 'c#servers.srv', sha256: 'b'.repeat(64), recorded, covers };
    const owner = `${String(process.pid)}.test`;
    const check = { roots: [at()], grounds: [at()], begunAt, known: [], fixed: [], locks };
    const done = createCheckRecords(root, owner)(check);
    const state = { directory: root, trust: { list: () => [record] } } as unknown as Parameters<
      typeof createStartHolds
    >[0]['state'];
    return createStartHolds({ state, isLocked: () => true })(() => true).finally(done);
  }
  const before = Date.parse(recorded) - 60_000;
  const after = Date.parse(recorded) + 60_000;

  it.each([
    ['a folder', () => mkdirSync(at('srv'))],
    ['a link at this moment', () => symlinkSync('bad', at('srv'))],
    ['missing at this moment', () => undefined],
  ])(
    'waits for a command that started before the files were trusted, if the folder is %s',
    async (_, make) => {
      make();
      expect(await holdFor(before)).toContain('is still running and could change');
      // Control: a command that cannot change the folder holds nothing up.
      expect(await holdFor(before, [at('srv')])).toBeUndefined();
    },
  );

  it('does not wait for a later command because of a link, which cannot be locked', async () => {
    symlinkSync('bad', at('srv'));
    expect(await holdFor(after)).toBeUndefined();
  });

  it('waits if the records of commands cannot be read', async () => {
    writeFileSync(join(root, 'git-checks'), '');
    const state = {
      directory: root,
      trust: { list: () => [{ file: 'c', sha256: '', recorded }] },
    } as unknown as Parameters<typeof createStartHolds>[0]['state'];
    expect(await createStartHolds({ state, isLocked: () => true })(() => true)).toContain('cannot be read');
  });
});
