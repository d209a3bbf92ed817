import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStoreFile } from '../support/open-store-file.js';
import { type BuiltStores, buildStores } from '../support/built-stores.js';
import { count } from '../support/counts.js';
import { startStoreDriver, type StoreOrder, type WhileReport } from '../support/store-driver.js';

const processes = 4;
const zone = 'shared';
let stores: BuiltStores;
let folder: string;

beforeAll(async () => {
  stores = await buildStores();
  folder = mkdtempSync(join(tmpdir(), 'tidegate-store-writers-'));
});
afterAll(() => {
  stores.close();
  rmSync(folder, { recursive: true, force: true });
});

async function compete(job: StoreOrder['job'], file: string, ms: number): Promise<readonly WhileReport[]> {
  const driven = Array.from({ length: processes }, () =>
    startStoreDriver(stores.driver, { job, file, zone, ms, lanes: 4 }),
  );
  const told = await Promise.all(driven.map(({ ended }) => ended()));
  return told.map((lines) => JSON.parse(lines[0] ?? '') as WhileReport);
}

it('four processes that write to one file never see that it is busy, and lose nothing', async () => {
  const file = join(folder, 'access.db');
  const seconds = count(60);
  const reports = await compete('write for a while', file, seconds * 1000);
  const acknowledged = reports.flatMap((report) => report.acknowledged);
  const each = reports.map((report) => report.acknowledged.length).join(' + ');
  const slowest = Math.max(...reports.map(({ slowestMs }) => slowestMs));
  console.log(`${processes} writers, ${seconds} s: acknowledged ${each}, slowest ${slowest.toFixed(0)} ms`);
  expect(reports.flatMap(({ failures }) => failures)).toEqual([]);
  // Every one of them wrote, in turns with the others.
  for (const report of reports) expect(report.acknowledged.length).toBeGreaterThan(seconds);

  const store = await stores.openSqliteStore({ file });
  const all = await store.changes(zone, undefined);
  const there = all.kind === 'all' ? all.tuples.map(({ object }) => object.slice('tool:'.length)) : [];
  expect([...there].sort()).toEqual([...acknowledged].sort());
  const revisions = reports.flatMap((report) => report.revisions).sort((one, other) => one - other);
  expect(revisions).toEqual(Array.from({ length: acknowledged.length }, (_, place) => place + 1));
  expect(all.head.revision).toBe(acknowledged.length);
  await store.close();
  const connection = await openStoreFile(file, 5000);
  expect(connection.pragma('integrity_check')).toBe('ok');
  connection.close();
});

it('a process that wrote, listens and forgot to close exits', async () => {
  const file = join(folder, 'forgotten.db');
  const driven = startStoreDriver(stores.driver, { job: 'forget to close', file, zone });
  expect(await driven.ended()).toEqual(['written']);
});

it('control: without retries they see it', async () => {
  const reports = await compete('write for a while carelessly', join(folder, 'careless.db'), 1000);
  const failures = reports.flatMap((report) => report.failures);
  console.log(`control: ${failures.length} of them told (at most 100 per process)`);
  expect(failures.some((failure) => failure.includes('locked'))).toBe(true);
});
