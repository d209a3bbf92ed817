import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessStore, GrantWrite } from '../../src/access/ports.js';
import { openConnection } from '../../src/stores/sqlite/connection.js';
import { type BuiltStores, buildStores } from '../support/built-stores.js';

const zone = 'full';
const record = { at: 1, zone, action: 'grant.write', decision: 'allow', principal: 'user:ana' } as const;

let stores: BuiltStores;
let folder: string;
let small: string;
let isMounted = false;

beforeAll(async () => {
  stores = await buildStores();
  folder = mkdtempSync(join(tmpdir(), 'tidegate-store-full-'));
  small = join(folder, 'small');
  mkdirSync(small);
  const mount = 'mount -t tmpfs -o size=3m,mode=700 tmpfs "$1"';
  isMounted = spawnSync('sh', ['-c', mount, 'sh', small]).status === 0;
});
afterAll(() => {
  if (isMounted) expect(spawnSync('sh', ['-c', 'umount -l "$1"', 'sh', small]).status).toBe(0);
  rmSync(folder, { recursive: true, force: true });
  stores.close();
});

/** Takes all that is left, but for this many bytes. */
function fillUp(left = 0): () => void {
  const { bavail, bsize } = statfsSync(small);
  const ballast = join(small, 'ballast');
  writeFileSync(ballast, Buffer.alloc(Math.max(bavail * bsize - left, 0)));
  return () => rmSync(ballast);
}

function writeOf(name: string, tuples: number): GrantWrite {
  const add = Array.from({ length: tuples }, (_, place) => ({
    user: `principal:user/${'x'.repeat(200)}${place}`,
    relation: 'caller',
    object: `tool:${name}`,
  }));
  return { zone, add, record };
}

/** Small writes until there is no room for another one; gives the names of those that were acknowledged. */
async function writeUntilFull(store: AccessStore): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  for (let number = 0; number < 10_000; number += 1) {
    const name = `until-${number}`;
    try {
      await store.write(writeOf(name, 1));
    } catch (error) {
      expect(error).toMatchObject({ name: 'StoreError', code: 'store.full' });
      return acknowledged;
    }
    acknowledged.push(name);
  }
  throw new Error('the disk did not fill up');
}

describe('on a disk that is full', () => {
  it('a write is refused, all reads work, and writing works again when there is room', async (context) => {
    if (!isMounted) return context.skip('this user may not mount a file system');
    const file = join(small, 'access.db');
    const store = await stores.openSqliteStore({ file });
    await store.write(writeOf('first', 10));
    const makeRoom = fillUp();
    const acknowledged = await writeUntilFull(store);
    const revision = await store.revision(zone);
    expect(revision).toBe(1 + acknowledged.length);
    for (let attempt = 0; attempt < 5; attempt += 1)
      await expect(store.write(writeOf(`more-${attempt}`, 50))).rejects.toMatchObject({ code: 'store.full' });
    expect(await store.revision(zone)).toBe(revision);
    const names = new Set((await store.grants(zone)).map(({ object }) => object));
    expect(names).toEqual(new Set(['tool:first', ...acknowledged.map((name) => `tool:${name}`)]));
    expect(await store.changes(zone, revision)).toEqual({ kind: 'changes', revision, changes: [] });
    expect(await store.audit({ zone, limit: 1 })).toHaveLength(1);
    makeRoom();
    expect(await store.write(writeOf('again', 50))).toMatchObject({ revision: revision + 1 });
    await store.close();
    const connection = await openConnection(file, 1000);
    expect(connection.pragma('integrity_check')).toBe('ok');
    connection.close();
  });

  it('a write that there is no room for takes no smaller one with it', async (context) => {
    if (!isMounted) return context.skip('this user may not mount a file system');
    const store = await stores.openSqliteStore({ file: join(small, 'together.db') });
    await store.write(writeOf('first', 1));
    const makeRoom = fillUp(256 * 1024);
    const settled = await Promise.allSettled([
      store.write(writeOf('small-1', 1)),
      store.write(writeOf('huge', 5000)),
      store.write(writeOf('small-2', 1)),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await store.revision(zone)).toBe(3);
    makeRoom();
    await store.close();
  });

  it('control: without a transaction a full disk leaves half of a change', async (context) => {
    if (!isMounted) return context.skip('this user may not mount a file system');
    const connection = await openConnection(join(small, 'careless.db'), 1000);
    connection.exec('pragma journal_mode = wal; create table facts (fact text)');
    const makeRoom = fillUp(64 * 1024);
    const insert = connection.prepare('insert into facts values (?)');
    expect(() => {
      for (let place = 0; place < 1000; place += 1) insert.run('x'.repeat(1000));
    }).toThrow('full');
    const kept = Number(connection.prepare('select count(*) from facts').first()?.[0]);
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(1000);
    makeRoom();
    connection.close();
  });
});
