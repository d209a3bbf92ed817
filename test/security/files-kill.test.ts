import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sweepDrafts } from '../../src/services/files/index.js';
import { count } from '../support/counts.js';
import { type FilePlace, openFilePlace } from '../support/file-place.js';
import { type Driver, openDriver } from '../support/files-driver.js';
import { createRandom } from '../support/random.js';

const random = createRandom();
const bytes = 1024 * 1024;
let driver: Driver;
let place: FilePlace;

beforeAll(async () => {
  driver = await openDriver();
  place = await openFilePlace();
  mkdirSync(join(place.stateDir, 'drafts'));
});
afterAll(async () => {
  driver.close();
  await place.close();
});

interface Score {
  torn: number;
  empty: number;
  changed: number;
  drafts: number;
}

/** Kills a writer at a moment that nobody chose, again and again, and looks each time at what is left. */
async function killWriters(job: 'write' | 'write carelessly', kills: number): Promise<Score> {
  const path = join(place.root, 'file.txt');
  const score: Score = { torn: 0, empty: 0, changed: 0, drafts: 0 };
  for (let kill = 0; kill < kills; kill += 1) {
    const before = 'Z'.repeat(bytes);
    writeFileSync(path, before);
    const { child, next } = driver.start({
      job,
      root: place.root,
      stateDir: place.stateDir,
      path: 'file.txt',
      bytes,
    });
    await next();
    await pause(random.below(80));
    child.kill('SIGKILL');
    await once(child, 'exit');
    const after = readFileSync(path, 'latin1');
    if (after === '') score.empty += 1;
    else if (after !== (after[0] ?? '').repeat(bytes)) score.torn += 1;
    if (after !== before) score.changed += 1;
    score.drafts += readdirSync(place.root).length - 1;
    await sweepDrafts(place.stateDir);
    expect(readdirSync(place.root)).toEqual(['file.txt']);
    expect(readdirSync(join(place.stateDir, 'drafts'))).toEqual([]);
  }
  return score;
}

it('a killed writer leaves the old or the new content, and no draft after the next start', async () => {
  const kills = count(1000);
  const score = await killWriters('write', kills);
  console.log(`kill -9: n=${kills}, ${JSON.stringify(score)}, seed ${random.seed}`);
  expect([score.torn, score.empty]).toEqual([0, 0]);
  // Otherwise nobody was killed in the middle of anything.
  expect(score.changed).toBeGreaterThan(0);
  expect(score.drafts).toBeGreaterThan(0);
});

it('control: writing in place leaves torn or empty files', async () => {
  const kills = Math.max(40, count(100));
  const score = await killWriters('write carelessly', kills);
  console.log(`control: n=${kills}, ${JSON.stringify(score)}`);
  expect(score.torn + score.empty).toBeGreaterThan(0);
});
