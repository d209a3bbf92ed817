import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { rgPath } from '@vscode/ripgrep';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import {
  openSearchPlace,
  type SearchAnswer,
  type SearchPlace,
  type SearchPlaceOptions,
  searchCanary,
  tellsOfOutside,
} from '../support/search-place.js';

const racerProgram = fileURLToPath(new URL('../fixtures/files/racer.mjs', import.meta.url));
const seconds = count(60);
// A control only has to show that the race can be lost; how soon is a matter of luck.
const controlSeconds = 60;

let place: SearchPlace;

/** Two folders and a file, each with a link out of the workspace that will take its place; and some that stay. */
async function setUp(options: SearchPlaceOptions = {}): Promise<void> {
  place = await openSearchPlace(options);
  const many = Array.from({ length: 40 }, (_, at) => [`many/${at % 8}/f${at}`, 'inside needle\n']);
  place.write({
    'swap/file': 'inside needle\n',
    'up/swap/deep/file': 'inside needle\n',
    'waiting/stays': 'inside needle\n',
    file: 'inside needle\n',
    ...(Object.fromEntries(many) as Record<string, string>),
  });
  const link = (target: string, name: string) =>
    symlinkSync(join(place.outside, target), join(place.root, 'waiting', name));
  link('folder', 'one');
  link('folder', 'two');
  link('secret', 'three');
}
afterEach(() => place.close());

const triples = [
  ['swap', 'waiting/one', 'waiting/free-one'],
  ['up/swap', 'waiting/two', 'waiting/free-two'],
  ['file', 'waiting/three', 'waiting/free-three'],
];

const pattern = `${searchCanary}|needle`;
const searches: Readonly<Record<string, (round: number) => Promise<SearchAnswer>>> = {
  'Glob, newest first': (round) => place.call('Glob', { pattern: '**/*', ...startOf(round) }),
  'Glob, by name': (round) => place.call('Glob', { pattern: '**/*', sort: 'name', ...startOf(round) }),
  'Grep for content': (round) =>
    place.call('Grep', { pattern, output_mode: 'content', context: round % 2, ...startOf(round) }),
  'Grep for files': (round) => place.call('Grep', { pattern: searchCanary, ...startOf(round) }),
  'Grep for counts': (round) =>
    place.call('Grep', { pattern: searchCanary, output_mode: 'count', ...startOf(round) }),
};

/** From the root, and from what is being exchanged itself. */
function startOf(round: number): { readonly path?: string } {
  const path = [undefined, 'swap', 'up', 'up/swap/deep', undefined, 'file'][round % 6];
  return path === undefined ? {} : { path };
}

/** Nothing inside holds the canary, so a file or count of it is one of outside, whatever its name. */
function hasEscaped(name: string, answer: SearchAnswer): boolean {
  if (!('data' in answer)) return false;
  if (tellsOfOutside(answer)) return true;
  if (!/files|counts/.test(name)) return false;
  const {
    files = [],
    counts = [],
    total_files: total = 0,
  } = answer.data as {
    readonly files?: readonly unknown[];
    readonly counts?: readonly unknown[];
    readonly total_files?: number;
  };
  return files.length + counts.length + total > 0;
}

async function startRacer(): Promise<ChildProcessByStdio<Writable, Readable, null>> {
  const names = triples.flat().map((name) => join(place.root, name));
  const racer = spawn(process.execPath, [racerProgram, ...names], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(racer.stdout, 'data');
  return racer;
}

/** A clock that is ahead makes every folder look calm, so that nothing is asked twice. */
it.each(Object.entries(searches))('control: %s escapes if nothing is checked again', async (name, search) => {
  await setUp({ now: () => Date.now() + 60_000 });
  const racer = await startRacer();
  const end = performance.now() + controlSeconds * 1000;
  let runs = 0;
  let isOut = false;
  // From the root only: the start itself is checked in another way.
  while (!isOut && performance.now() < end) {
    runs += 1;
    isOut = hasEscaped(name, await search(0));
  }
  racer.stdin.end();
  await once(racer, 'exit');
  console.log(`control: out after ${runs} runs`);
  expect(isOut).toBe(true);
});

describe('while another process keeps replacing folders and files with links', () => {
  let racer: ChildProcessByStdio<Writable, Readable, null>;
  beforeEach(async () => {
    await setUp();
    racer = await startRacer();
  });
  afterEach(async () => {
    racer.stdin.end();
    await once(racer, 'exit');
  });

  it.each(Object.entries(searches))('%s never escapes', async (name, search) => {
    const score = { tried: 0, worked: 0, escaped: 0 };
    const end = performance.now() + seconds * 1000;
    for (; performance.now() < end; score.tried += 1) {
      const answer = await search(score.tried);
      if ('text' in answer) score.worked += 1;
      if (!hasEscaped(name, answer)) continue;
      score.escaped += 1;
      console.log('text' in answer && answer.text);
    }
    console.log(`${name}: ${seconds} s, ${JSON.stringify(score)}`);
    expect(score.escaped).toBe(0);
    expect(score.worked).toBeGreaterThan(0);
  });

  it.each([
    ['its content', ['-n', '-e', searchCanary]],
    ['its names', ['--files']],
  ])(
    'control: plain ripgrep, from a folder that does not move, returns files from outside: %s',
    (_what, words) => {
      const end = performance.now() + controlSeconds * 1000;
      let runs = 0;
      let isOut = false;
      while (!isOut && performance.now() < end) {
        runs += 1;
        const { stdout } = spawnSync(rgPath, ['--no-config', ...words, '--', './'], { cwd: place.root });
        isOut = stdout.includes(searchCanary);
      }
      console.log(`control: out after ${runs} runs`);
      expect(isOut).toBe(true);
    },
  );
});

describe('while another process waits, and replaces folders only while ripgrep walks', () => {
  // Longer than the time in which a change before the search is taken for one during it.
  const calmMs = 2700;
  const rounds = count(50);
  const exchange = () => {
    for (const triple of triples) {
      const [path = '', link = '', free = ''] = triple.map((name) => join(place.root, name));
      renameSync(path, free);
      renameSync(link, path);
      renameSync(path, link);
      renameSync(free, path);
    }
  };

  it('no search escapes, and none loses files inside', async () => {
    await setUp();
    let escaped = 0;
    for (let round = 0; round < rounds; round += 1) {
      await sleep(calmMs);
      const isOver = { now: false };
      const running = Promise.all(
        Object.entries(searches).map(async ([name, search]) => ({ name, answer: await search(0) })),
      ).finally(() => (isOver.now = true));
      while (!isOver.now) {
        exchange();
        await new Promise(setImmediate);
      }
      const answers = await running;
      escaped += answers.filter(({ name, answer }) => hasEscaped(name, answer)).length;
      const lines = answers.find(({ name }) => name === 'Grep for content')?.answer;
      expect(lines && 'text' in lines && lines.text.match(/^many\//gm)?.length).toBe(40);
    }
    console.log(
      `calm before: ${rounds} rounds of ${Object.keys(searches).length} searches, escaped ${escaped}`,
    );
    expect(escaped).toBe(0);
  });
});
