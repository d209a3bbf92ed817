import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ShellOutput } from '../../ports/shell.js';
import { openBackground } from './background.js';
import type { CommandEnd, CommandRun } from './command-run.js';

const nothing: ShellOutput = { stdout: '', stderr: '', truncated: false, isFileComplete: true, bytes: 0 };
const done: CommandEnd = {
  exitCode: 0,
  hasBegun: true,
  leftovers: 0,
  hasSurvivors: false,
  createdPaths: [],
  changedPaths: [],
  undonePaths: [],
  durationMs: 5,
};

describe('background commands', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are visible only to their own session; to others they look absent', async () => {
    const background = openBackground();
    const { run, ends } = fakeRun();
    const id = background.add('mine', 'sleep', run);
    expect((await background.poll('mine', id, undefined)).state).toBe('running');
    const failureOf = (asked: Promise<unknown>) => asked.catch((error: unknown) => JSON.stringify(error));
    const absent = await failureOf(background.poll('other', 'bash_nothing1', undefined));
    expect(absent).toContain('unknown_background_id');
    expect(await failureOf(background.poll('other', id, undefined))).toBe(absent);
    expect(await failureOf(background.stop('other', id))).toBe(absent);
    expect(ends()).toBe(0);
  });

  it('end with their session, and those of others continue', async () => {
    const background = openBackground();
    const [mine, other] = [fakeRun(), fakeRun()];
    const id = background.add('mine', 'sleep', mine.run);
    const kept = background.add('other', 'sleep', other.run);
    const forgotten = background.forget('mine');
    expect([mine.ends(), other.ends()]).toEqual([1, 0]);
    mine.finish({});
    await forgotten;
    await expect(background.poll('mine', id, undefined)).rejects.toMatchObject({ code: 'not_found' });
    expect((await background.poll('other', kept, undefined)).state).toBe('running');
  });

  it('return new output, and how they ended', async () => {
    const background = openBackground();
    const { run, finish, say } = fakeRun();
    const id = background.add('mine', 'make', run);
    say('one\n');
    expect((await background.poll('mine', id, undefined)).stdout).toBe('one\n');
    expect((await background.poll('mine', id, undefined)).stdout).toBe('');
    finish({ exitCode: 2 });
    await Promise.resolve();
    expect(await background.poll('mine', id, undefined)).toMatchObject({
      state: 'finished',
      end: { exitCode: 2 },
      durationMs: 5,
      command: 'make',
    });
  });

  it('are killed by stop, once', async () => {
    const background = openBackground();
    const { run, ends } = fakeRun({ endsAt: 'once' });
    const id = background.add('mine', 'sleep', run);
    expect(await background.stop('mine', id)).toMatchObject({ state: 'killed', end: { exitCode: 0 } });
    expect((await background.stop('mine', id)).state).toBe('killed');
    expect(ends()).toBe(1);
  });

  it('are ended if they are not polled, report the reason, and are forgotten later', async () => {
    const background = openBackground(60_000);
    const { run, closes } = fakeRun({ endsAt: 'once' });
    const id = background.add('mine', 'sleep', run);
    await vi.advanceTimersByTimeAsync(59_000);
    expect((await background.poll('mine', id, undefined)).state).toBe('running');
    await vi.advanceTimersByTimeAsync(59_000);
    expect((await background.poll('mine', id, undefined)).state).toBe('running');
    await vi.advanceTimersByTimeAsync(61_000);
    const report = await background.poll('mine', id, undefined);
    expect([report.state, report.reason]).toEqual(['killed', 'Its output was not read for 1 minutes.']);
    await vi.advanceTimersByTimeAsync(61_000);
    await expect(background.poll('mine', id, undefined)).rejects.toThrow('no background command');
    expect(closes()).toBe(1);
  });

  it('are limited to eight per session, and one owner leaves slots to others', () => {
    const background = openBackground();
    for (let count = 0; count < 7; count += 1) background.reserve('mine', 'alice');
    const giveBack = background.reserve('mine', 'alice');
    expect(() => background.reserve('mine', 'alice')).toThrow('8 background commands of this session');
    giveBack();
    background.reserve('mine', 'alice');
    for (let count = 0; count < 7; count += 1) background.reserve('other', 'alice');
    expect(() => background.reserve('other', 'alice')).toThrow('As many background commands as your share');
    background.reserve('f', 'bob');
  });

  it('are limited to thirty-two in total', () => {
    const background = openBackground();
    for (const session of ['a', 'b', 'c', 'd']) {
      for (let count = 0; count < 8; count += 1) background.reserve(session, undefined);
    }
    expect(() => background.reserve('e', undefined)).toThrow('32 background commands of the gateway');
  });

  it('that ended are forgotten if there are many', async () => {
    const background = openBackground();
    const ids: string[] = [];
    for (let count = 0; count < 70; count += 1) {
      const { run, finish } = fakeRun();
      ids.push(background.add('mine', 'x', run));
      finish({});
      await vi.advanceTimersByTimeAsync(1);
    }
    const [first = '', last = ''] = [ids[0], ids.at(-1)];
    await expect(background.poll('mine', first, undefined)).rejects.toThrow();
    expect((await background.poll('mine', last, undefined)).state).toBe('finished');
  });

  it('all end when the gateway closes', async () => {
    const background = openBackground();
    const runs = [fakeRun({ endsAt: 'once' }), fakeRun({ endsAt: 'once' })];
    for (const { run } of runs) background.add('mine', 'x', run);
    await background.close();
    expect(runs.map(({ ends, closes }) => [ends(), closes()])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });
});

function fakeRun(options: { readonly endsAt?: 'once' } = {}) {
  let ends = 0;
  let closes = 0;
  let said = '';
  let resolve = (_end: CommandEnd): void => {};
  const ended = new Promise<CommandEnd>((settle) => {
    resolve = settle;
  });
  const run: CommandRun = {
    sandbox: 'none',
    reach: {},
    points: new Set<string>(),
    cwd: '/',
    startedAt: 0,
    ended,
    end: () => {
      ends += 1;
      if (options.endsAt === 'once') resolve(done);
    },
    capture: {
      take: async () => {
        const stdout = said;
        said = '';
        return { ...nothing, stdout };
      },
      lastLine: () => '',
      close: async () => {
        closes += 1;
      },
    },
  };
  const finish = (end: Partial<CommandEnd>) => resolve({ ...done, ...end });
  return { run, finish, say: (text: string) => (said += text), ends: () => ends, closes: () => closes };
}
