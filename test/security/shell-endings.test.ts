import { exec } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeExchange } from '../../src/testing/index.js';
import { count } from '../support/counts.js';
import { describeProcess, findMarked, hasProc } from '../support/proc.js';
import { openTestShell, protectedPaths, systemPath, type TestShell } from '../support/shell.js';
import { startDriver } from '../support/shell-driver.js';

const timeoutMs = 700;
const lanes = 3;

/** Each carries the tag in the arguments of everything that it starts. `tag` is a number of seconds for sleep. */
const trees: Readonly<Record<string, (tag: string) => string>> = {
  'jobs in the background': (tag) => `sleep ${tag} & sleep ${tag} & (sleep ${tag} & sleep ${tag}) & wait`,
  nohup: (tag) => `nohup sleep ${tag} >/dev/null 2>&1 & nohup sh -c 'sleep ${tag}' & sleep ${tag}`,
  setsid: (tag) => `setsid sleep ${tag} & setsid sh -c "sleep ${tag} & sleep ${tag}" & wait`,
  'double fork': (tag) =>
    `(setsid sh -c 'sleep ${tag} & exit 0' &); (sh -c 'sleep ${tag} &' &); sleep ${tag}`,
  'deaf to TERM': (tag) => `trap '' TERM HUP INT; sleep ${tag} & while :; do sleep ${tag}; done`,
  'deaf in its own session': (tag) => `setsid sh -c "trap '' TERM HUP; sleep ${tag} & sleep ${tag}" & wait`,
  'fork storm': (tag) =>
    `for n in 1 2 3 4 5 6; do (trap '' TERM; while :; do sleep 0.02; (sleep 0.02 & sleep 0.05 &) ; done) & done; wait # ${tag}`,
  flooding: (tag) => `yes ${tag} & setsid yes ${tag} >&2 & wait`,
};

describe.skipIf(!hasProc).each(['bubblewrap', 'none'] as const)('sandbox %s: everything ends', (sandbox) => {
  let shell: TestShell;

  beforeAll(async () => {
    shell = await openTestShell({ sandbox });
    expect((await shell.run('true')).sandbox).toBe(sandbox);
  });
  afterAll(() => shell.close());

  it('at the timeout, for every kind of process tree', async () => {
    const kinds = Object.entries(trees);
    const rounds = count(250);
    const failures: string[] = [];
    const late: string[] = [];
    await inLanes(rounds, async (round) => {
      const [kind, script] = kinds[round % kinds.length] ?? ['', () => ''];
      const tag = createTag();
      const result = await shell.run(script(tag), { timeoutMs });
      const left = findMarked(tag).map(describeProcess);
      if (!result.timedOut || result.hasSurvivors || left.length > 0)
        failures.push(`${kind}: ${left.join(', ')}`);
      // Whatever a gate ends is gone within five seconds; how soon on a quiet machine is for the bench.
      if (result.durationMs > timeoutMs + 5000) late.push(`${kind}: ${result.durationMs} ms`);
    });
    expect(failures).toEqual([]);
    expect(late).toEqual([]);
  });

  it('when the call is cancelled', async () => {
    for (const [kind, script] of Object.entries(trees)) {
      const tag = createTag();
      const exchange = createFakeExchange();
      const running = shell.run(script(tag), {}, exchange);
      await until(() => findMarked(tag).length > 1);
      exchange.cancel();
      await expect(running, kind).rejects.toMatchObject({ facts: { reason: 'cancelled' } });
      expect(findMarked(tag).map(describeProcess), kind).toEqual([]);
    }
  });

  it('when the call was cancelled before it began', async () => {
    const tag = createTag();
    const exchange = createFakeExchange();
    exchange.cancel();
    await expect(shell.run(`sleep ${tag}`, {}, exchange)).rejects.toMatchObject({ code: 'failed' });
    expect(findMarked(tag)).toEqual([]);
  });

  it('when the command exits but left processes running, with their number', async () => {
    const tag = createTag();
    const result = await shell.run(
      `sleep ${tag} & setsid sleep ${tag} & nohup sleep ${tag} & echo done; exit 3`,
    );
    expect(result).toMatchObject({ stdout: 'done\n', exitCode: 3, leftovers: 3, timedOut: false });
    expect(findMarked(tag)).toEqual([]);
    expect((await shell.run('echo done')).leftovers).toBe(0);
  });

  it('when a background command is ended by its session', async () => {
    const session = await shell.as('session');
    const tag = createTag();
    const { id } = await session.start({ command: `echo up; setsid sleep ${tag} & sleep ${tag} & wait` });
    await until(() => findMarked(tag).length > 2);
    expect((await session.stop(id)).state).toBe('killed');
    expect(findMarked(tag)).toEqual([]);
  });

  it('when the gateway closes', async () => {
    const closing = await openTestShell({ sandbox });
    const tag = createTag();
    const session = await closing.as('session');
    const settled = Promise.allSettled(
      Object.values(trees).map((script) => closing.run(script(tag), { timeoutMs: 60_000 })),
    );
    await session.start({ command: `sleep ${tag} & setsid sleep ${tag} & wait` });
    await until(() => findMarked(tag).length > 12);
    await closing.close();
    await settled;
    expect(findMarked(tag).map(describeProcess)).toEqual([]);
  });
});

describe.skipIf(!hasProc)('when the gateway is killed with -9', () => {
  it('everything ends within five seconds, and the next start removes leftover files', async () => {
    const place = await openTestShell({ sandbox: 'bubblewrap' });
    const { root, stateDir } = place;
    for (let round = 0; round < count(20); round += 1) {
      const [kind, script] = Object.entries(trees)[round % Object.keys(trees).length] ?? ['', () => ''];
      const tag = createTag();
      const commands = [{ command: script(tag), timeoutMs: 60_000 }];
      const driver = await startDriver({ root, stateDir, path: systemPath, protectedPaths, commands });
      await until(() => findMarked(tag).length > 1);
      process.kill(driver.pid, 'SIGKILL');
      await driver.answers.catch(() => undefined);
      await until(() => findMarked(tag).length === 0, 5000, kind);
    }
    expect(readdirSync(root)).toContain('.claude');
    await place.run('true');
    // `.tidegate` holds what the flooding ones wrote.
    expect(readdirSync(root).filter((name) => name !== '.tidegate')).toEqual(['.git']);
    await place.close();
  });
});

describe.skipIf(!hasProc)('only the sandbox ends', () => {
  it('a process that left its group, cleared its environment and lost its parent', async () => {
    const shell = await openTestShell({ sandbox: 'bubblewrap' });
    const tag = createTag();
    const result = await shell.run(`(setsid env -i sh -c 'sleep ${tag} & exit 0' &); sleep ${tag}`, {
      timeoutMs,
    });
    expect([result.sandbox, result.timedOut]).toEqual(['bubblewrap', true]);
    expect(findMarked(tag)).toEqual([]);
    await shell.close();
  });
});

describe.skipIf(!hasProc)('control', () => {
  it('exec with a timeout leaves survivors', async () => {
    for (const kind of ['jobs in the background', 'setsid', 'double fork']) {
      const tag = createTag();
      await new Promise((resolve) => exec(trees[kind]?.(tag) ?? '', { timeout: timeoutMs }, resolve).unref());
      const left = findMarked(tag);
      for (const pid of left) process.kill(pid, 'SIGKILL');
      expect(left.length, kind).toBeGreaterThan(0);
    }
  });
});

async function inLanes(rounds: number, work: (round: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let round = next; round < rounds; round = next) {
      next += 1;
      await work(round);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function until(holds: () => boolean, ms = 20_000, what = 'it'): Promise<void> {
  const end = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`${what}: not within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function createTag(): string {
  return `3600.${String(Math.floor(Math.random() * 1e12)).padStart(12, '0')}`;
}
