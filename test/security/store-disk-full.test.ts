import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessStore, GrantWrite } from '../../src/access/ports/index.js';
import { openStoreFile } from '../support/open-store-file.js';
import { makeToken, openAccessPlace, runJson, runOk } from '../support/access-place.js';
import { type BuiltStores, buildStores } from '../support/built-stores.js';
import { openHttpGate, type Place } from '../support/gate.js';
import { tokenOf } from '../support/raw-client.js';
import { runGate } from '../support/run-program.js';

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
  const mount = 'mount -t tmpfs -o size=24m,mode=700 tmpfs "$1"';
  isMounted = spawnSync('sh', ['-c', mount, 'sh', small]).status === 0;
});
afterAll(() => {
  if (isMounted) expect(spawnSync('sh', ['-c', 'umount -l "$1"', 'sh', small]).status).toBe(0);
  rmSync(folder, { recursive: true, force: true });
  stores.close();
});

/** Takes all that is left, but for this many bytes. */
function fillUp(left = 0, name = 'ballast'): () => void {
  const { bavail, bsize } = statfsSync(small);
  const ballast = join(small, name);
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

describe('on a full disk', () => {
  it('a write is refused, all reads work, and writing works again when there is space', async (context) => {
    if (!isMounted) return context.skip('this user may not mount a file system');
    const file = join(small, 'access.db');
    const store = await stores.openSqliteStore({ file });
    await store.write(writeOf('first', 10));
    const makeRoom = fillUp();
    const acknowledged = await writeUntilFull(store);
    const revision = (await store.head(zone)).revision;
    expect(revision).toBe(1 + acknowledged.length);
    for (let attempt = 0; attempt < 5; attempt += 1)
      await expect(store.write(writeOf(`more-${attempt}`, 50))).rejects.toMatchObject({ code: 'store.full' });
    expect((await store.head(zone)).revision).toBe(revision);
    const names = new Set((await store.grants(zone)).map(({ object }) => object));
    expect(names).toEqual(new Set(['tool:first', ...acknowledged.map((name) => `tool:${name}`)]));
    const { history } = await store.head(zone);
    expect(await store.changes(zone, history)).toMatchObject({ kind: 'changes', changes: [] });
    expect(await store.audit({ zone, limit: 1 })).toHaveLength(1);
    makeRoom();
    expect(await store.write(writeOf('again', 50))).toMatchObject({ revision: revision + 1 });
    await store.close();
    const connection = await openStoreFile(file, 1000);
    expect(connection.pragma('integrity_check')).toBe('ok');
    connection.close();
  });

  it('a write that does not fit does not fail a smaller one', async (context) => {
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
    expect((await store.head(zone)).revision).toBe(3);
    makeRoom();
    await store.close();
  });

  it('control: without a transaction a full disk leaves half of a change', async (context) => {
    if (!isMounted) return context.skip('this user may not mount a file system');
    const connection = await openStoreFile(join(small, 'careless.db'), 1000);
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

  it('[15.46] a revoke uses the reserved space; a grant does not', async (context) => {
    if (!isMounted) return context.skip('this user may not mount a file system');
    const store = await stores.openSqliteStore({ file: join(small, 'reserve.db') });
    await store.write(writeOf('first', 10));
    const [given] = await store.grants(zone);
    if (given === undefined) throw new Error('nothing was written');
    const makeRoom = fillUp();
    await writeUntilFull(store);
    const remove = (user: string): GrantWrite => ({ zone, remove: [{ ...given, user }], record });
    // Control: the same change without the reserve is refused.
    await expect(store.write(remove(given.user))).rejects.toMatchObject({ code: 'store.full' });
    const settled = await Promise.allSettled([
      store.write(writeOf('other', 1)),
      store.write({ ...remove(given.user), isUrgent: true }),
      store.write(writeOf('another', 1)),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    const users = (await store.grants(zone, { object: 'tool:first' })).map(({ user }) => user);
    expect(users).toHaveLength(9);
    for (const user of users) await store.write({ ...remove(user), isUrgent: true });
    expect(await store.grants(zone, { object: 'tool:first' })).toEqual([]);
    await expect(store.write(writeOf('more', 1))).rejects.toMatchObject({ code: 'store.full' });
    makeRoom();
    await store.close();
  });

  it('[15.46] the operator revokes over the API and the CLI; a grant gets the real cause', async (context) => {
    if (!isMounted) return context.skip('this user may not mount a file system');
    const usual = openAccessPlace({ builtins: ['*'] }, { default_profile: 'none', profiles: {} });
    const state = join(small, 'state');
    const place: Place = { ...usual, env: { ...usual.env, TIDEGATE_HOME: state } };
    await runOk(place, 'trust', '--yes');
    const names = ['agent:a', 'agent:b', 'agent:c'];
    for (const name of [...names, 'agent:stays']) await runOk(place, 'grant', name, 'Read');
    const token = await makeToken(place, '--as', 'agent:a');
    const gate = await openHttpGate(place);
    const makeRoom = fillUp();
    const headers = { authorization: `Bearer ${tokenOf(place)}` };
    const change = async (method: string, path: string, body = '{}') => {
      const answer = await fetch(gate.base + path, { method, headers, body });
      return { status: answer.status, text: await answer.text() };
    };
    // Until the last free pages of the log are taken.
    let refused = { status: 200, text: '' };
    for (let index = 0; refused.status === 200 && index < 2000; index += 1)
      refused = await change('POST', '/api/grants', `{"principal":"agent:x${String(index)}","what":"Read"}`);
    expect(refused).toEqual({ status: 507, text: expect.stringContaining('"store.full"') as string });
    const revoke = '{"principal":"agent:a","what":"Read"}';
    expect((await change('DELETE', '/api/grants', revoke)).status).toBe(200);
    expect((await change('DELETE', `/api/tokens/${token.id}`)).status).toBe(200);
    await runOk(place, 'revoke', 'agent:b', 'Read');
    await gate.close();
    const makeMoreRoom = fillUp(0, 'more-ballast');
    // Without a gateway the command opens the store first, which needs room too.
    await runOk(place, 'revoke', 'agent:c', 'Read');
    const makeRestRoom = fillUp(0, 'rest-ballast');
    const given = await runGate(place, ['grant', 'agent:d', 'Read']);
    expect([given.status, given.stderr]).toEqual([4, expect.stringContaining('store.full')]);
    makeRoom();
    makeMoreRoom();
    makeRestRoom();
    const left = JSON.stringify(await runJson(place, 'access', 'export'));
    expect(left).toContain('agent/stays"');
    for (const name of names) expect(left).not.toContain(`${name.replace(':', '/')}"`);
    usual.close();
  }, 240_000);
});
