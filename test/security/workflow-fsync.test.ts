// A step that is told as done must survive the loss of power: its line in the journal is synced before anybody hears of
// it. Killing processes cannot show this; the order of calls to the system can.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';
import { program } from '../support/gate.js';

let place: FlowPlace;
beforeAll(() => {
  place = openFlowPlace();
});
afterAll(() => place.close());

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const count = 20;

/** The calls to the system of a run with steps one after the other, and with branches side by side. */
async function traceOf(states: object): Promise<readonly string[]> {
  const file = place.file('synced.yaml', JSON.stringify({ name: 'synced', states }));
  const trace = join(place.directory, 'trace');
  const calls = 'trace=write,pwrite64,writev,fdatasync,fsync';
  const under = ['-f', '-y', '-qq', '-s', '60', '-e', calls, '-e', 'signal=none', '-o', trace];
  const child = spawn('strace', [...under, process.execPath, program, 'run', file], {
    cwd: place.workspace,
    env: place.env,
    stdio: 'ignore',
  });
  const status = await new Promise((resolve) => child.once('exit', resolve));
  expect(status).toBe(0);
  return readFileSync(trace, 'utf8').split('\n');
}

interface Account {
  readonly told: number;
  readonly early: number;
  readonly syncs: number;
}

/** How many steps were told as done, and how many of them before their line was on the disk. */
function accountOf(lines: readonly string[]): Account {
  const account = { told: 0, early: 0, syncs: 0 };
  const begun = new Map<string, ReadonlySet<string>>();
  /** Steps whose lines are written and not synced. */
  const unsynced = new Set<string>();
  for (const line of lines) {
    const [, thread = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const written =
      /^write\(\d+<[^>]*journal\.jsonl>, "\{\\"kind\\":\\"step\\",\\"key\\":\\"([\w/]+)\\"/.exec(rest)?.[1];
    if (written !== undefined) unsynced.add(written);
    // A sync covers what was written before it began, from its end on.
    if (/^fdatasync\(\d+<[^>]*journal\.jsonl>/.test(rest)) begun.set(thread, new Set(unsynced));
    const covered = /fdatasync.*= 0$/.test(rest) ? begun.get(thread) : undefined;
    if (covered !== undefined) {
      account.syncs += 1;
      begun.delete(thread);
      for (const key of covered) unsynced.delete(key);
    }
    const told = /^write\(1<[^>]*>, "  ok ([\w.]+):/.exec(rest)?.[1];
    if (told === undefined) continue;
    account.told += 1;
    if (unsynced.has(told.replaceAll('.', '/'))) account.early += 1;
  }
  return account;
}

const names = Array.from({ length: count }, (_, at) => `s${String(at)}`);
const inARow = {
  initial: 's0',
  ...Object.fromEntries(
    names.map((name, at) => [name, { type: 'command', command: ':', on_success: names[at + 1] ?? 'done' }]),
  ),
  done,
};
const sideBySide = {
  initial: 'p',
  p: { type: 'parallel', parallel: names, on_success: 'done' },
  ...Object.fromEntries(names.map((name) => [name, { type: 'command', command: ':' }])),
  done,
};

describe.skipIf(!canTrace)('a step that is reported as done', () => {
  it('is on disk', async () => {
    const lines = await traceOf(inARow);
    expect(accountOf(lines)).toMatchObject({ told: count, early: 0 });
    // The control: without the syncs the same account finds every one of them.
    const without = lines.filter((line) => !line.includes('fdatasync'));
    expect(accountOf(without)).toEqual({ told: count, early: count, syncs: 0 });
  });

  it('is on disk even if others end at the same time and share one sync', async () => {
    const account = accountOf(await traceOf(sideBySide));
    expect(account).toMatchObject({ told: count + 1, early: 0 });
    expect(account.syncs).toBeLessThanOrEqual(count + 2);
  });
});
