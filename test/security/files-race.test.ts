import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defenceOf } from '../../src/services/files/index.js';
import { count } from '../support/counts.js';
import {
  type Answered,
  canary,
  type FilePlace,
  type FileTool,
  openFilePlace,
  snapshot,
} from '../support/file-place.js';

const racerProgram = fileURLToPath(new URL('../fixtures/files/racer.mjs', import.meta.url));
const seconds = count(60);
// A control only has to show that the race can be lost; how soon is a matter of luck.
const controlSeconds = 60;

let place: FilePlace;
let racer: ChildProcessByStdio<Writable, Readable, null>;
let before: string;

/** A folder, a folder further up on the way, and a file, each with a link that will take its place. */
beforeEach(async () => {
  place = await openFilePlace();
  const at = (name: string): string => join(place.root, name);
  for (const folder of ['swap', 'up/swap/deep', 'waiting']) mkdirSync(at(folder), { recursive: true });
  for (const name of ['swap/file', 'up/swap/deep/file', 'file']) writeFileSync(at(name), 'inside');
  const { outside } = place;
  mkdirSync(join(outside, 'folder', 'deep'));
  for (const name of ['folder/file', 'folder/deep/file', 'secret'])
    writeFileSync(join(outside, name), `${canary} inside`);
  symlinkSync(join(outside, 'folder'), at('waiting/one'));
  symlinkSync(join(outside, 'folder'), at('waiting/two'));
  symlinkSync(join(outside, 'secret'), at('waiting/three'));
  before = snapshot(outside);
  const triples = [
    ['swap', 'waiting/one', 'waiting/free-one'],
    ['up/swap', 'waiting/two', 'waiting/free-two'],
    ['file', 'waiting/three', 'waiting/free-three'],
  ];
  racer = spawn(process.execPath, [racerProgram, ...triples.flat().map(at)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(racer.stdout, 'data');
});

afterEach(async () => {
  const hasDied = racer.exitCode !== null;
  racer.stdin.end();
  if (!hasDied) await once(racer, 'exit');
  await place.close();
  expect(hasDied).toBe(false);
});

const existing = ['swap/file', 'up/swap/deep/file', 'file'];

interface Score {
  tried: number;
  worked: number;
  escaped: number;
}

/** Four at a time, so that there is always one in the middle of something. */
async function raceAgainst(attempt: (round: number) => Promise<Answered>): Promise<Score> {
  const score: Score = { tried: 0, worked: 0, escaped: 0 };
  const end = performance.now() + seconds * 1000;
  const lane = async (): Promise<void> => {
    while (performance.now() < end) {
      score.tried += 1;
      const answer = await attempt(score.tried);
      if (!('text' in answer)) continue;
      score.worked += 1;
      if (answer.text.includes(canary)) score.escaped += 1;
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  return score;
}

it('on Linux files are opened through handles, so the result never depends on timing', () => {
  expect(defenceOf().name).toBe(process.platform === 'linux' ? 'handles' : 'checks');
});

describe('while another process keeps replacing folders and files with links', () => {
  const attempts: Readonly<Record<FileTool, (round: number) => Promise<Answered>>> = {
    Read: (round) => place.call('Read', { file_path: existing[round % 3] ?? '' }),
    Write: (round) => {
      const folder = ['swap', 'up/swap/deep', 'up/swap/made'][round % 3] ?? '';
      return place.call('Write', { file_path: `${folder}/new-${round}`, content: 'inside' });
    },
    Edit: async (round) => {
      const file_path = existing[round % 3] ?? '';
      const there = await place.call('Edit', { file_path, old_string: 'inside', new_string: 'changed' });
      await place.call('Edit', { file_path, old_string: 'changed', new_string: 'inside' });
      return there;
    },
  };

  it.each(['Read', 'Write', 'Edit'] as const)('%s never escapes', async (tool) => {
    const score = await raceAgainst(attempts[tool]);
    const now = snapshot(place.outside);
    console.log(
      `${tool}: ${seconds} s, tried ${score.tried}, worked ${score.worked}, escaped ${score.escaped}`,
    );
    expect(score.escaped).toBe(0);
    expect(now).toBe(before);
    expect(score.worked).toBeGreaterThan(0);
  });

  it('control: checking before opening escapes when reading', () => {
    const escapes = untilEscape(() => {
      const path = join(place.root, 'swap/file');
      if (!realpathSync.native(path).startsWith(`${place.root}/`)) return false;
      return readFileSync(path, 'utf8').includes(canary);
    });
    expect(escapes).toBeGreaterThan(0);
  });

  it('control: checking before opening escapes when writing', () => {
    const escapes = untilEscape((round) => {
      const path = join(place.root, 'swap', `careless-${round}`);
      if (!realpathSync.native(dirname(path)).startsWith(`${place.root}/`)) return false;
      writeFileSync(path, 'x');
      const isOut = snapshot(place.outside) !== before;
      rmSync(path, { force: true });
      return isOut;
    });
    expect(escapes).toBeGreaterThan(0);
  });
});

function untilEscape(attempt: (round: number) => boolean): number {
  const end = performance.now() + controlSeconds * 1000;
  for (let round = 0; performance.now() < end; round += 1) {
    try {
      if (attempt(round)) {
        console.log(`control: out after ${round + 1} attempts`);
        return 1;
      }
    } catch {
      // Nothing was there at this moment.
    }
  }
  return 0;
}
