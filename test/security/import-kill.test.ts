import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { clientNames, openClientPlace } from '../support/client-place.js';
import { count } from '../support/counts.js';
import { program } from '../support/gate.js';
import { createRandom } from '../support/random.js';

const random = createRandom();
const place = openClientPlace();
const lock = join(place.state, 'import.lock');
const files = clientNames.map((client) => place.fileOf(client));
const originals = files.map((file) => readFileSync(file, 'latin1'));
afterAll(() => place.close());

interface Score {
  old: number;
  new: number;
  torn: number;
}

/** The lock is a link to a file that does not exist. */
function isLocked(): boolean {
  return lstatSync(lock, { throwIfNoEntry: false }) !== undefined;
}

/** Starts an import, and kills it at some moment of its writing. */
async function killedImport(): Promise<void> {
  const child = spawn(
    process.execPath,
    [program, 'import', '--point', '--yes', '--secrets', 'keep', '--force'],
    {
      cwd: place.workspace,
      env: place.env,
      stdio: 'ignore',
    },
  );
  const ended = once(child, 'exit');
  while (!isLocked() && child.exitCode === null) await pause(1);
  await pause(random.below(120));
  child.kill('SIGKILL');
  await ended;
}

it('a killed import leaves each file old or new, and undo restores all of them', async () => {
  await place.import('--point', '--yes', '--secrets', 'keep', '--force');
  const wanted = files.map((file) => readFileSync(file, 'latin1'));
  expect((await place.import('--undo')).status).toBe(0);
  const score: Score = { old: 0, new: 0, torn: 0 };
  const kills = count(100);
  let partly = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    await killedImport();
    // Whoever comes next would wait some seconds to be sure that nobody holds it.
    rmSync(lock, { force: true });
    for (const name of readdirSync(join(place.state, 'backups'))) grow(join(place.state, 'backups', name));
    const found = files.map((file, at) => stateOf(readFileSync(file, 'latin1'), originals[at], wanted[at]));
    for (const one of found) score[one] += 1;
    if (new Set(found).size > 1) partly += 1;
    const yaml = readFileSync(join(place.workspace, 'tidegate.yaml'), 'utf8');
    expect(yaml).toContain('server-perplexity-ask');
    const undone = await place.import('--undo');
    // Nothing to undo is fine where it was killed before its first backup.
    expect([0, 3], undone.stderr).toContain(undone.status);
    expect(files.map((file) => readFileSync(file, 'latin1'))).toEqual(originals);
    // Bytes without a record are of no use to anybody, and have the secrets of the file in them.
    const kept = readdirSync(join(place.state, 'backups'));
    const orphans = kept.filter((name) => /\.(?:before|after)$/.test(name) && !kept.includes(recordOf(name)));
    expect(orphans).toEqual([]);
  }
  console.log(
    `kill -9: n=${String(kills)}, ${JSON.stringify(score)}, between two files ${String(partly)}, seed ${String(random.seed)}`,
  );
  expect(score.torn).toBe(0);
  // Otherwise nobody was killed in the middle of anything.
  expect(score.new).toBeGreaterThan(0);
});

it('a lock left by a killed import is broken by the next one', async () => {
  writeFileSync(lock, 'somebody who is gone', { mode: 0o600 });
  const { status, stderr } = await place.import('cursor', '--point', '--yes', '--secrets', 'reference');
  expect(status, stderr).toBe(0);
  expect((await place.import('--undo')).status).toBe(0);
});

it('an incomplete backup of a killed import is removed by the next import or undo', async () => {
  const left = join(place.state, 'backups', '2026-01-02T03-04-05-678Z-cursor-0123abcd.before');
  for (const words of [['cursor', '--point', '--yes', '--secrets', 'reference'], ['--undo']]) {
    writeFileSync(left, 'a secret', { mode: 0o600 });
    grow(left);
    expect((await place.import('--dry-run', ...words)).status).toBe(0);
    // The control: who only looks removes nothing.
    expect(existsSync(left)).toBe(true);
    expect((await place.import(...words)).status).toBe(0);
    expect(existsSync(left)).toBe(false);
  }
});

it('control: a file that is written in place is seen torn', () => {
  const [file = ''] = files;
  const [before = ''] = originals;
  writeFileSync(file, before.slice(0, 20));
  expect(stateOf(readFileSync(file, 'latin1'), before, 'new')).toBe('torn');
});

/** Older than any import takes: what is younger may be somebody's work. */
function grow(file: string): void {
  utimesSync(file, new Date(), new Date(Date.now() - 3_600_000));
}

function recordOf(part: string): string {
  return part.replace(/\.\w+$/, '.json');
}

function stateOf(text: string, before: string | undefined, after: string | undefined): keyof Score {
  if (text === before) return 'old';
  return text === after ? 'new' : 'torn';
}
