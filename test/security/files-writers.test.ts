import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { type FilePlace, openFilePlace } from '../support/file-place.js';
import { type CountReport, type Driver, type DriverOrder, openDriver } from '../support/files-driver.js';

const processes = 4;
const sessions = 2;
const edits = count(10_000);

let driver: Driver;
let place: FilePlace;

beforeAll(async () => {
  driver = await openDriver();
  place = await openFilePlace();
});
afterAll(async () => {
  driver.close();
  await place.close();
});

async function countWith(order: (path: string) => DriverOrder): Promise<readonly CountReport[]> {
  const running = Array.from({ length: processes }, () => driver.start(order('number.txt')));
  return await Promise.all(
    running.map(async (one) => {
      const report = JSON.parse(await one.next()) as CountReport;
      await one.ended();
      return report;
    }),
  );
}

it('eight writers in four processes lose no update, and each refused one gets an error', async () => {
  writeFileSync(join(place.root, 'number.txt'), '0\n');
  const { root, stateDir } = place;
  const times = Math.ceil(edits / processes / sessions);
  const reports = await countWith((path) => ({ job: 'count', root, stateDir, path, sessions, times }));
  const won = reports.reduce((sum, one) => sum + one.won, 0);
  const told = reports.reduce((sum, one) => sum + one.told, 0);
  const number = Number(readFileSync(join(root, 'number.txt'), 'utf8'));
  console.log(`8 writers: n=${won} updates, ${told} told that they lost, lost ${won - number}`);
  expect(reports.flatMap(({ odd }) => odd)).toEqual([]);
  expect(won).toBe(times * processes * sessions);
  expect(number).toBe(won);
  expect(told).toBeGreaterThan(0);
  expect(readdirSync(root)).toEqual(['number.txt']);
  expect(readdirSync(join(stateDir, 'locks'))).toEqual([]);
});

it('control: without checking for changes, updates are lost', async () => {
  writeFileSync(join(place.root, 'number.txt'), '0\n');
  const { root, stateDir } = place;
  const times = 2_000;
  const reports = await countWith((path) => ({
    job: 'count carelessly',
    root,
    stateDir,
    path,
    sessions: 1,
    times,
  }));
  const won = reports.reduce((sum, one) => sum + one.won, 0);
  const number = Number(readFileSync(join(root, 'number.txt'), 'utf8'));
  console.log(`control: n=${won} updates, lost ${won - number}`);
  expect(number).toBeLessThan(won);
});
