import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../src/stores/sqlite/connection.js';
import { openStoreFile } from '../support/open-store-file.js';
import { migrate } from '../../src/stores/sqlite/migrate.js';
import { schemaSteps, schemaVersion } from '../../src/stores/sqlite/schema.js';
import { type BuiltStores, buildStores } from '../support/built-stores.js';
import { count } from '../support/counts.js';
import { createRandom } from '../support/random.js';
import { slowRows, slowSteps, startStoreDriver, type StoreOrder } from '../support/store-driver.js';

const random = createRandom();
const zone = 'killed';
let stores: BuiltStores;
let folder: string;
let places = 0;

beforeAll(async () => {
  stores = await buildStores();
  folder = mkdtempSync(join(tmpdir(), 'tidegate-store-kill-'));
});
afterAll(() => {
  stores.close();
  rmSync(folder, { recursive: true, force: true });
});

function newFile(): string {
  places += 1;
  mkdirSync(join(folder, String(places)), { mode: 0o700 });
  return join(folder, String(places), 'access.db');
}

async function inspect<T>(file: string, look: (connection: Connection) => T): Promise<T> {
  const connection = await openStoreFile(file, 5000);
  try {
    return look(connection);
  } finally {
    connection.close();
  }
}

function isSound(file: string): Promise<boolean> {
  return inspect(file, (connection) => connection.pragma('integrity_check') === 'ok');
}

/** Which of those that were acknowledged are not there. */
async function lostOf(file: string, acknowledged: readonly string[]): Promise<readonly string[]> {
  const store = await stores.openSqliteStore({ file });
  const tuples = await store.changes(zone, undefined);
  const there = new Set(
    tuples.kind === 'all' ? tuples.tuples.map(({ object }) => object.slice('tool:'.length)) : [],
  );
  for (const { id } of await store.tokens(zone)) there.add(id);
  for (let before: number | undefined; ; ) {
    const page = await store.audit({ zone, action: 'call', limit: 10_000, ...(before ? { before } : {}) });
    for (const { requestId } of page) there.add(requestId ?? '');
    before = page.at(-1)?.seq;
    if (before === undefined) break;
  }
  await store.close();
  return acknowledged.filter((name) => !there.has(name));
}

async function killWriters(job: StoreOrder['job'], kills: number) {
  const file = newFile();
  const acknowledged: string[] = [];
  let lost = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const driven = startStoreDriver(stores.driver, { job, file, zone, lanes: 1 + random.below(16) });
    expect(await driven.next()).toBe('ready');
    await pause(random.below(150));
    const told = await driven.kill();
    acknowledged.push(...told);
    expect(await isSound(file)).toBe(true);
    // The next one opens it as if nothing had happened.
    lost += (await lostOf(file, told)).length;
  }
  return { acknowledged, lost, lostInTheEnd: (await lostOf(file, acknowledged)).length };
}

describe('a process that is killed while it writes', () => {
  it('loses nothing that it acknowledged, and leaves a valid file', async () => {
    const kills = count(200);
    const { acknowledged, lost, lostInTheEnd } = await killWriters('write', kills);
    console.log(
      `kill -9: n=${kills}, acknowledged ${acknowledged.length}, lost ${lost}, seed ${random.seed}`,
    );
    expect([lost, lostInTheEnd]).toEqual([0, 0]);
    expect(acknowledged.length).toBeGreaterThan(kills);
  });

  it('control: acknowledging before storing loses data', async () => {
    const kills = Math.max(10, count(20));
    const { acknowledged, lost } = await killWriters('write carelessly', kills);
    console.log(`control: n=${kills}, acknowledged ${acknowledged.length}, lost ${lost}`);
    expect(lost).toBeGreaterThan(0);
  });
});

describe('a process that is killed during a schema upgrade', () => {
  const olderVersions = Array.from({ length: schemaVersion }, (_, version) => version);

  it.each(olderVersions)('leaves a file that the next process can open, from version %i', async (version) => {
    const kills = count(50);
    let unfinished = 0;
    let usualMs = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const file = newFile();
      if (version > 0)
        await inspect(file, (connection) =>
          migrate(connection, { file, program: 'older', steps: schemaSteps.slice(0, version) }),
        );
      const driven = startStoreDriver(stores.driver, { job: 'open', file, zone });
      expect(await driven.next()).toBe('ready');
      const started = performance.now();
      // The first one may end, which says how long it takes.
      if (kill === 0) await driven.next();
      else await pause(random.below(usualMs));
      if (kill === 0) usualMs = 1.2 * (performance.now() - started);
      if (!(await driven.kill()).includes('open') && kill > 0) unfinished += 1;
      if (existsSync(file)) expect(await isSound(file)).toBe(true);
      expect(await lostOf(file, [])).toEqual([]);
      const now = await inspect(file, (connection) =>
        connection.prepare('select max(version) from schema_versions').first(),
      );
      expect(now).toEqual([schemaVersion]);
    }
    console.log(
      `migration from ${version}: n=${kills}, killed before its end ${unfinished}, seed ${random.seed}`,
    );
  });

  /** How many files were left with a step that was neither done nor undone. */
  async function killMigrations(job: 'migrate' | 'migrate carelessly', kills: number) {
    const score = { torn: 0, inTheMiddle: 0 };
    for (let kill = 0; kill < kills; kill += 1) {
      const file = newFile();
      const driven = startStoreDriver(stores.driver, { job, file, zone });
      expect(await driven.next()).toBe('ready');
      await pause(random.below(150));
      const isDone = (await driven.kill()).includes('done');
      const { version, isWhole } = await inspect(file, stepsOf);
      if (!isDone && version > 0 && version < slowSteps.length) score.inTheMiddle += 1;
      if (!isWhole) score.torn += 1;
      else
        await inspect(file, (connection) => migrate(connection, { file, program: 'test', steps: slowSteps }));
      expect(await isSound(file)).toBe(true);
      if (isWhole) expect(await inspect(file, stepsOf)).toEqual({ version: slowSteps.length, isWhole: true });
    }
    return score;
  }

  it('completes each step or leaves it undone', async () => {
    const kills = count(100);
    const score = await killMigrations('migrate', kills);
    console.log(`migration steps: n=${kills}, ${JSON.stringify(score)}, seed ${random.seed}`);
    expect(score.torn).toBe(0);
    expect(score.inTheMiddle).toBeGreaterThan(0);
  });

  it('control: without a transaction a step is left half done', async () => {
    const kills = Math.max(15, count(30));
    const score = await killMigrations('migrate carelessly', kills);
    console.log(`control: n=${kills}, ${JSON.stringify(score)}`);
    expect(score.torn).toBeGreaterThan(0);
  });
});

/** Which version the file says, and whether it has exactly what that version has. */
function stepsOf(connection: Connection): { readonly version: number; readonly isWhole: boolean } {
  const tables = connection
    .prepare("select name from sqlite_schema where type = 'table' order by name")
    .all()
    .flat();
  const indexes = connection.prepare("select count(*) from sqlite_schema where type = 'index'").first()?.[0];
  const hasVersions = tables.includes('schema_versions');
  const version = hasVersions
    ? Number(connection.prepare('select coalesce(max(version), 0) from schema_versions').first()?.[0])
    : 0;
  const wanted = Array.from({ length: version }, (_, step) => `slow_${step}`);
  const isWhole =
    JSON.stringify(tables) === JSON.stringify(version === 0 ? [] : ['schema_versions', ...wanted]) &&
    indexes === version &&
    wanted.every((table) => connection.prepare(`select count(*) from ${table}`).first()?.[0] === slowRows());
  return { version, isWhole };
}
