import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareSnapshots, takeSnapshot } from './snapshot.js';

describe('takeSnapshot, with more files than its limit', () => {
  let root: string;
  const at = (name: string) => join(root, name);
  const places = () => ['a', 'b', 'c'].map(at);
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'tidegate-snapshot-'));
    for (const place of places()) {
      mkdirSync(place);
      for (const name of ['1', '2', '3']) writeFileSync(join(place, name), '');
    }
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('reports it, and keeps the first ones', async () => {
    const { files, isPartial } = await takeSnapshot(places(), [], 6);
    expect([files.size, isPartial]).toEqual([4, true]);
    expect([...files.keys()].slice(0, 3)).toEqual(['a/1', 'a/2', 'a/3'].map(at));
    expect((await takeSnapshot(places(), [], 12)).isPartial).toBe(false);
  });

  it('counts folders too, so that endless empty ones are not walked', async () => {
    mkdirSync(at('a/x/y/z'), { recursive: true });
    expect((await takeSnapshot([at('a/x')], [], 2)).isPartial).toBe(true);
  });

  it('reports nothing as changed or created that only one of two snapshots reached', async () => {
    const small = await takeSnapshot(places(), [], 6);
    await new Promise((resolve) => setTimeout(resolve, 50));
    writeFileSync(at('a/0'), 'new');
    // The new file pushes `b/1` out of the second one.
    const pushed = compareSnapshots(small, await takeSnapshot(places(), [], 5));
    expect(pushed).toEqual({ created: [at('a/0')], changed: [] });
    // What was there before is no news: `b/2` and all of `c`.
    const full = compareSnapshots({ ...small, takenAt: Date.now() - 30 }, await takeSnapshot(places()));
    expect(full).toEqual({ created: [at('a/0')], changed: [] });
    writeFileSync(at('b/1'), 'changed');
    expect(compareSnapshots(small, await takeSnapshot(places(), [], 5)).changed).toEqual([at('b/1')]);
  });
});
