import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noOwnPaths } from '../../ports/own-paths.js';
import { findCalm } from './calm.js';
import { openPlace, type Place } from './place.js';
import { readRoots, withoutOwn } from './roots.js';

const nothingOwn = noOwnPaths.viewOf({
  id: 's',
  principal: { kind: 'agent', id: 'a', zone: 'z' },
  scope: 'session',
});

/** As if the folders had been made long before: their change times cannot be set, but the clock of the search can. */
const later = () => Date.now() + 60_000;

describe.skipIf(process.platform !== 'linux')('a folder is unchanged', () => {
  let root: string;
  let place: Place;
  beforeEach(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-calm-')));
    mkdirSync(join(root, 'a', 'b', 'c'), { recursive: true });
    writeFileSync(join(root, 'a', 'b', 'c', 'file'), '');
    place = await openPlace(withoutOwn(await readRoots([root]), nothingOwn), '.');
  });
  afterEach(() => {
    place.close();
    rmSync(root, { recursive: true, force: true });
  });

  it('when neither it nor a parent changed since before the search', () => {
    expect([...findCalm(place, ['', 'a/', 'a/b/c/'], later())]).toEqual(['', 'a/', 'a/b/c/']);
  });

  it('but not if it changed since, or shortly before', () => {
    expect([...findCalm(place, ['', 'a/b/c/'], Date.now())]).toEqual([]);
    expect([...findCalm(place, ['a/b/c/'], Date.now() + 1000)]).toEqual([]);
  });

  it('but not if a parent is a link, even one that points back', () => {
    renameSync(join(root, 'a'), join(root, 'real'));
    symlinkSync('real', join(root, 'a'));
    expect([...findCalm(place, ['a/b/c/', 'real/b/c/'], later())]).toEqual(['real/b/c/']);
  });

  it('but not if it is gone, or a file', () => {
    expect([...findCalm(place, ['a/x/', 'a/b/c/file/', 'a/b/'], later())]).toEqual(['a/b/']);
  });

  it('but not on another file system', () => {
    symlinkSync('/proc', join(root, 'p'));
    expect([...findCalm({ ...place, here: '/' }, ['proc/', 'sys/'], later())]).toEqual([]);
    expect([...findCalm({ ...place, here: '/proc' }, [''], later())]).toEqual([]);
  });
});
