// What a power cut would leave is decided by the order of calls to the system: an fsync after the last write of a commit, before
// anybody hears of it. Killing processes cannot show this; strace can.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltStores, buildStores } from '../support/built-stores.js';
import { count } from '../support/counts.js';
import { startStoreDriver, type StoreOrder } from '../support/store-driver.js';

let stores: BuiltStores;
let folder: string;

beforeAll(async () => {
  stores = await buildStores();
  folder = mkdtempSync(join(tmpdir(), 'tidegate-store-fsync-'));
});
afterAll(() => {
  stores.close();
  rmSync(folder, { recursive: true, force: true });
});

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

/** How many acknowledgements there were, and how many while something of the store was written but not synced. */
async function accountOf(job: StoreOrder['job'], times: number) {
  const place = mkdtempSync(join(folder, 'run-'));
  const [store, trace] = [join(place, 'store'), join(place, 'trace')];
  mkdirSync(store, { mode: 0o700 });
  const calls = 'trace=write,pwrite64,writev,pwritev,fsync,fdatasync';
  const under = ['strace', '-f', '-y', '-qq', '-s', '40', '-e', calls, '-e', 'signal=none', '-o', trace];
  const order = { job, file: join(store, 'access.db'), zone: 'z', times };
  await startStoreDriver(stores.driver, order, under).ended();
  return readAccount(readFileSync(trace, 'utf8').split('\n'), store);
}

function readAccount(lines: readonly string[], store: string) {
  const account = { acknowledged: 0, unsynced: 0, syncs: 0 };
  const unsynced = new Set<string>();
  /** A call that another thread's line cut in two: which file, by thread. */
  const begun = new Map<string, { readonly call: string; readonly file: string }>();
  for (const line of lines) {
    const [, thread = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. (\w+) resumed>/.exec(rest)?.[1];
    const [, call = '', file = ''] = /^(\w+)\(\d+<([^>]*)>/.exec(rest) ?? [];
    if (/^write\(1<[^>]*>, "acknowledged/.test(rest)) {
      account.acknowledged += 1;
      if (unsynced.size > 0) account.unsynced += 1;
    }
    const isUnfinished = rest.endsWith('<unfinished ...>');
    if (isUnfinished) begun.set(thread, { call, file });
    // A write counts from its beginning, a sync from its end.
    const known = resumed === undefined ? { call, file } : begun.get(thread);
    // The index of the log and the reserve hold nothing that must last.
    if (known === undefined || !known.file.startsWith(store) || /-(?:shm|reserve)$/.test(known.file))
      continue;
    const isSync = known.call.endsWith('sync');
    if (!isSync && resumed === undefined) unsynced.add(known.file);
    if (isSync && !isUnfinished && rest.endsWith('= 0')) {
      account.syncs += 1;
      unsynced.delete(known.file);
    }
  }
  return account;
}

describe('according to system calls', () => {
  it('everything a commit wrote is synced before it is acknowledged', async (context) => {
    if (!canTrace) return context.skip('strace is not there, or may not be used');
    const times = count(500);
    const account = await accountOf('write one by one', times);
    console.log(`fsync: ${JSON.stringify(account)}`);
    expect(account).toMatchObject({ acknowledged: times, unsynced: 0 });
    expect(account.syncs).toBeGreaterThanOrEqual(times);
  });

  it('control: with synchronous=NORMAL it is not', async (context) => {
    if (!canTrace) return context.skip('strace is not there, or may not be used');
    const account = await accountOf('write one by one carelessly', 50);
    console.log(`control: ${JSON.stringify(account)}`);
    expect(account.acknowledged).toBe(50);
    expect(account.unsynced).toBeGreaterThan(0);
  });
});
