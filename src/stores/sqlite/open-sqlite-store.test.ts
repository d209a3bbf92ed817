import {
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AccessStore } from '../../access/ports/index.js';
import { type BuiltStores, buildStores } from '../../../test/support/built-stores.js';
import { openConnection } from './connection.js';
import { identifyPlace, preparePlace } from './place.js';

const zone = 'local';
const record = { at: 1, zone, action: 'grant.write', decision: 'allow', principal: 'user:ana' } as const;
const tuple = { user: 'principal:agent/a', relation: 'caller', object: 'tool:a' };

let stores: BuiltStores;
let folder: string;
/** A complete database file with one tuple at revision 1. */
let template: string;
let files = 0;
const opened: AccessStore[] = [];

beforeAll(async () => {
  stores = await buildStores();
  folder = mkdtempSync(join(tmpdir(), 'tidegate-sqlite-'));
  template = join(folder, 'template.db');
  const store = await stores.openSqliteStore({ file: template });
  await store.write({ zone, add: [tuple], record });
  await store.close();
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  stores.close();
});

function copy(): string {
  files += 1;
  const file = join(folder, `${files}.db`);
  copyFileSync(template, file);
  return file;
}

async function open(file: string): Promise<AccessStore> {
  const store = await stores.openSqliteStore({ file });
  opened.push(store);
  return store;
}

async function change(file: string, sql: string): Promise<void> {
  const connection = await openConnection({ file, identity: preparePlace(file), busyMs: 1000 });
  connection.exec(sql);
  connection.close();
}

async function failure(ask: () => unknown): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    return error;
  }
}

describe('the SQLite store', () => {
  it('leaves one complete file that only its owner can read, once it is closed', async () => {
    expect(statSync(template).mode & 0o777).toBe(0o600);
    expect(statSync(`${template}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    const file = copy();
    const store = await open(file);
    expect(await store.changes(zone, undefined)).toMatchObject({
      kind: 'all',
      head: { revision: 1 },
      tuples: [tuple],
    });
    await store.write({ zone, remove: [tuple], record });
    for (const beside of ['-wal', '-shm']) expect(statSync(`${file}${beside}`).mode & 0o777).toBe(0o600);
  });

  it('sends hints about the writes of other processes', async () => {
    const file = copy();
    const [one, other] = [await open(file), await open(file)];
    const heard: string[] = [];
    const stop = one.onChange((moved) => heard.push(moved));
    await other.appendAudit([record]);
    await other.write({ zone: 'elsewhere', add: [tuple], record });
    await vi.waitFor(() => expect(heard).toEqual(['elsewhere']), { timeout: 5000 });
    stop();
  });

  it('sends hints about its own writes at once', async () => {
    const store = await open(copy());
    const heard: string[] = [];
    store.onChange((moved) => heard.push(moved));
    await store.write({ zone, remove: [tuple], record });
    expect(heard).toEqual([zone]);
  });
});

describe('an unusable store file', () => {
  it('is reported as damaged, with its path', async () => {
    const file = copy();
    writeFileSync(file, 'not a database, but long enough to look like one'.repeat(100), { mode: 0o600 });
    const error = await failure(() => stores.openSqliteStore({ file }));
    expect(error).toMatchObject({ name: 'StoreError', code: 'store.corrupt' });
    expect(String(error)).toContain(file);
  });

  it('is never read as if it were empty', async () => {
    const file = copy();
    // Damage everything but the first page, which has the schema.
    const bytes = readFileSync(file);
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.alloc(bytes.length - 4096, 0xa5), 0, bytes.length - 4096, 4096);
    closeSync(handle);
    const error = await failure(async () => {
      const store = await open(file);
      return await store.changes(zone, undefined);
    });
    expect(error).toMatchObject({ name: 'StoreError', code: 'store.corrupt' });
  });

  it('is no longer read from memory once a write has found the damage', async () => {
    const file = copy();
    const store = await open(file);
    expect((await store.head(zone)).revision).toBe(1);
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.alloc(statSync(file).size, 0xa5));
    closeSync(handle);
    const other = { ...tuple, object: 'tool:b' };
    expect(await failure(() => store.write({ zone, add: [other], record }))).toMatchObject({
      code: 'store.corrupt',
    });
    for (const ask of [
      () => store.head(zone),
      () => store.changes(zone, undefined),
      () => store.token('tok_1'),
    ])
      expect(await failure(async () => ask())).toMatchObject({ code: 'store.corrupt' });
  });

  it('is refused when it belongs to another program', async () => {
    const file = join(folder, 'other.db');
    await change(file, 'create table recipes (name text)');
    expect(await failure(() => stores.openSqliteStore({ file }))).toMatchObject({
      code: 'store.corrupt',
      message: expect.stringContaining('another program'),
    });
  });

  it('is refused if a newer version wrote it, even while it is open', async () => {
    const file = copy();
    const store = await open(file);
    expect((await store.head(zone)).revision).toBe(1);
    await change(file, "insert into schema_versions values (99, '9.9.9', 0)");
    const newer = { name: 'StoreError', code: 'store.newer_schema' };
    const asks = [
      () => store.head(zone),
      () => store.changes(zone, ''),
      () => store.write({ zone, remove: [tuple], record }),
      () => stores.openSqliteStore({ file }),
    ];
    for (const ask of asks) expect(await failure(ask)).toMatchObject(newer);
    expect(String(await failure(() => stores.openSqliteStore({ file })))).toContain('Tidegate 9.9.9');
    await change(file, 'delete from schema_versions where version = 99');
    expect((await store.head(zone)).revision).toBe(1);
  });

  it.each(['-shm', '-wal'])('is neither read nor written when its %s is missing', async (ending) => {
    const file = copy();
    const store = await open(file);
    await store.write({ zone, add: [{ ...tuple, object: 'tool:b' }], record });
    expect((await store.head(zone)).revision).toBe(2);
    rmSync(`${file}${ending}`);
    const away = { code: 'store.unavailable' };
    await vi.waitFor(async () => expect(await failure(() => store.head(zone))).toMatchObject(away));
    expect(await failure(() => store.write({ zone, remove: [tuple], record }))).toMatchObject(away);
  });

  it('is not read while another file has its place, and is again once it is restored', async () => {
    const file = copy();
    const store = await open(file);
    await store.write({ zone, add: [{ ...tuple, object: 'tool:b' }], record });
    const away = {
      name: 'StoreError',
      code: 'store.unavailable',
      message: expect.stringContaining('replaced'),
    };
    renameSync(file, `${file}.away`);
    await vi.waitFor(async () => expect(await failure(() => store.head(zone))).toMatchObject(away));
    expect(await failure(() => store.write({ zone, remove: [tuple], record }))).toMatchObject(away);
    copyFileSync(template, file);
    expect(await failure(() => store.changes(zone, ''))).toMatchObject(away);
    renameSync(`${file}.away`, file);
    expect((await store.head(zone)).revision).toBe(2);
    expect((await store.write({ zone, remove: [tuple], record })).revision).toBe(3);
  });

  describe('a log that has writes the file lacks', () => {
    /** A store that is open, so its last write is only in the log. */
    async function openWithLog(): Promise<string> {
      const file = copy();
      const store = await open(file);
      await store.write({ zone, add: [{ ...tuple, user: 'agent:later' }], record });
      expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
      return file;
    }

    it('is kept if the file disappears between the check and the open', async () => {
      const file = await openWithLog();
      const identity = identifyPlace(file);
      const log = statSync(`${file}-wal`);
      renameSync(file, `${file}.away`);
      expect(await failure(() => openConnection({ file, identity, busyMs: 0 }))).toMatchObject({
        code: 'store.unavailable',
      });
      expect(statSync(`${file}-wal`)).toMatchObject({ ino: log.ino, size: log.size });
      // Control: with the identity of the file that opening created, the first statement deletes the log.
      const { dev, ino } = statSync(file);
      const connection = await openConnection({ file, identity: { dev, ino }, busyMs: 0 });
      connection.exec('pragma synchronous = full');
      connection.close();
      expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.ino).not.toBe(log.ino);
    });

    it.each([
      ['missing', (file: string) => renameSync(file, `${file}.away`)],
      ['empty', (file: string) => writeFileSync(file, '')],
    ])('is kept, and the store refused, while the file is %s', async (_, damage) => {
      const file = await openWithLog();
      const log = statSync(`${file}-wal`);
      damage(file);
      expect(await failure(() => stores.openSqliteStore({ file }))).toMatchObject({ code: 'store.lost' });
      expect(await failure(() => identifyPlace(file))).toMatchObject({ code: 'store.lost' });
      expect(statSync(`${file}-wal`)).toMatchObject({ ino: log.ino, size: log.size });
      // Control: without data in the log, the same file is a first start.
      writeFileSync(`${file}-wal`, '');
      expect(() => preparePlace(file)).not.toThrow();
    });
  });
});
