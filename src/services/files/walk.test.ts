import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defenceOf } from './defence.js';
import type { Open } from './opened.js';
import { createRoots } from './roots.js';
import { walk } from './walk.js';

let base: string;
let root: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-walk-')));
  root = join(base, 'root');
  mkdirSync(join(root, 'a', 'b', 'c'), { recursive: true });
  mkdirSync(join(base, 'second', 'inner'), { recursive: true });
  writeFileSync(join(root, 'a', 'b', 'c', 'file'), 'x');
  writeFileSync(join(base, 'outside'), 'x');
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

const openHandles = (): number => readdirSync('/proc/self/fd').length;

describe.each(['linux', 'darwin'] as const)('a walk with the defence of %s', (platform) => {
  const { open } = defenceOf(platform);
  const go = async (path: string, roots = [root], opener: Open = open): Promise<string> => {
    const place = await walk(path, { open: opener, roots: createRoots(roots) });
    await place.close();
    return [place.path, ...(place.target ? [] : ['missing', ...place.missing])].join(' ');
  };

  it('reaches the real path', async () => {
    symlinkSync('b', join(root, 'a', 'link'));
    symlinkSync(join(root, 'a', 'link', 'c'), join(root, 'far'));
    expect(await go('a/link/c/file')).toBe(join(root, 'a/b/c/file'));
    expect(await go('far/file')).toBe(join(root, 'a/b/c/file'));
    expect(await go('far/new/er')).toBe(`${join(root, 'a/b/c/new/er')} missing new er`);
    expect(await go('.')).toBe(root);
    expect(await go(root)).toBe(root);
  });

  it('follows a link step by step, like the system', async () => {
    mkdirSync(join(root, 'x', 'y'), { recursive: true });
    symlinkSync('../a/b/c', join(root, 'x', 'deep'));
    // By its letters `x/deep/../file` is `x/file`; in truth it is in `a/b`.
    writeFileSync(join(root, 'a', 'b', 'file'), 'x');
    symlinkSync('x/deep/../file', join(root, 'tricky'));
    expect(await go('tricky')).toBe(realpathSync.native(join(root, 'tricky')));
    symlinkSync(`${root}/x/deep/../file`, join(root, 'tricky-too'));
    expect(await go('tricky-too')).toBe(join(root, 'a/b/file'));
  });

  it('goes from root to root, and nowhere else', async () => {
    const roots = [root, join(base, 'second')];
    symlinkSync('../second/inner', join(root, 'over'));
    symlinkSync('../../root/a', join(base, 'second', 'inner', 'back'));
    expect(await go('over/back/b', roots)).toBe(join(root, 'a/b'));
    // Out and in again: it is the place where it ends that counts.
    expect(await go('over/back/b')).toBe(join(root, 'a/b'));
    await expect(go('over/new')).rejects.toMatchObject({ facts: { reason: 'outside_workspace' } });
    symlinkSync(`${base}/second/../root/a`, join(root, 'known'));
    symlinkSync(`${base}/nothing/../root/a`, join(root, 'unknown'));
    expect([await go('known'), await go('unknown')]).toEqual([join(root, 'a'), join(root, 'a')]);
    await expect(go('over/../../outside', roots)).rejects.toMatchObject({
      facts: { reason: 'outside_workspace' },
    });
    expect(await go(join(base, 'second', 'new'), roots)).toContain('missing new');
  });

  it('refuses every path that leads outside', async () => {
    symlinkSync('../../outside', join(root, 'a', 'up'));
    symlinkSync('/', join(root, 'slash'));
    symlinkSync('..', join(root, 'parent'));
    symlinkSync(`${root}/../outside`, join(root, 'dotted'));
    symlinkSync('/proc/self/root/etc/passwd', join(root, 'magic'));
    symlinkSync(`/proc/${process.pid}/cwd`, join(root, 'cwd'));
    const ways = ['a/up', 'slash/etc/passwd', 'parent', 'parent/outside', 'dotted', 'magic', 'cwd', 'slash'];
    for (const way of [...ways, '..', '../root-not', `${root}x`]) {
      await expect(go(way)).rejects.toMatchObject({ facts: { reason: 'outside_workspace' } });
    }
  });

  it('stops in loops and long chains', async () => {
    symlinkSync('two', join(root, 'one'));
    symlinkSync('one', join(root, 'two'));
    symlinkSync('self/x', join(root, 'self'));
    for (let link = 0; link < 50; link += 1) symlinkSync(`chain${link + 1}`, join(root, `chain${link}`));
    writeFileSync(join(root, 'chain50'), 'x');
    for (const way of ['one', 'self', 'self/y', 'chain0']) {
      await expect(go(way)).rejects.toMatchObject({ facts: { reason: 'too_many_links' } });
    }
    expect(await go('chain11')).toBe(join(root, 'chain50'));
  });

  it('leaves no handle open, wherever it ends', async () => {
    symlinkSync('loop', join(root, 'loop'));
    symlinkSync('/etc', join(root, 'etc'));
    const before = openHandles();
    for (const way of [
      'a/b/c/file',
      'loop',
      'etc/passwd',
      'a/b/c/file/x',
      'a/none/../x',
      'nothing/at/all',
      '/x',
      'a/\0',
    ]) {
      await go(way).catch(() => {});
    }
    expect(openHandles()).toBe(before);
  });

  it('notices that the opened file was moved away', async () => {
    let opened = 0;
    const moving: Open = async (path) => {
      const found = await open(path);
      opened += 1;
      if (opened === 2) renameSync(join(root, 'a'), join(base, 'moved'));
      return found;
    };
    await expect(go('a/new', [root], moving)).rejects.toMatchObject({
      code: expect.stringMatching(/refused|conflict|not_found/),
    });
    expect(existsSync(join(base, 'moved'))).toBe(true);
  });
});
