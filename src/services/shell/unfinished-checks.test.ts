import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openScratch } from './scratch.js';
import { createCheckRecords, runningCommands } from './unfinished-checks.js';

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'tidegate-records-'));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

/** A gateway's recorder, with commands that may write /w and hold these locks. */
function gateway() {
  const record = createCheckRecords(state, openScratch(state).owner);
  return (locks: readonly string[], root = '/w') =>
    record({ roots: [root], grounds: [], begunAt: 1, known: [], fixed: [], locks });
}

const locksNow = (): readonly (readonly string[])[] => runningCommands(state).map(({ locks }) => locks);

it('ignores a lock that a running command of another gateway lacks, even after that command ended', () => {
  const [older, later] = [gateway(), gateway()];
  const end = older([]);
  later(['/w/srv']);
  end();
  expect(locksNow()).toEqual([[]]);
  // A command beside one that is not locked is not locked either.
  gateway()(['/w/srv']);
  expect(locksNow()).toEqual([[], []]);
});

it('counts the lock if the other commands have it too, or cannot write there', () => {
  gateway()([], '/elsewhere');
  gateway()(['/w/srv']);
  gateway()(['/w/srv/lib']);
  expect(locksNow().flat().sort()).toEqual(['/w/srv', '/w/srv/lib']);
});
