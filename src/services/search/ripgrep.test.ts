import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChildProcess, Processes, ProcessExit, ProcessOrder } from '../../ports/processes.js';
import type { Search, TextQuery } from '../../ports/search.js';
import { openSearch } from './open-search.js';

/** A fake ripgrep that prints what the test wants. */
interface Script {
  readonly output?: string;
  readonly errors?: string;
  /** If absent, it never exits. */
  readonly exit?: ProcessExit;
}

const query: TextQuery = {
  pattern: 'x',
  isLiteral: false,
  ignoresCase: false,
  isMultiline: false,
  mode: 'files',
  before: 0,
  after: 0,
  offset: 0,
  limit: 2,
  includeIgnored: false,
};
const { signal } = new AbortController();

describe('a ripgrep', () => {
  let root: string;
  let closed: number;
  let orders: ProcessOrder[];
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'tidegate-ripgrep-'));
    mkdirSync(join(root, 'sub'));
    for (const name of ['a', 'b', 'sub/c']) writeFileSync(join(root, name), '');
    closed = 0;
    orders = [];
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function search(scripts: readonly Script[], limits = {}): Promise<Search> {
    const left = [...scripts];
    const processes: Processes = {
      start: async (order) => {
        orders.push(order);
        return act(left.shift() ?? { exit: { code: 1, signal: null } }, () => (closed += 1));
      },
      close: () => Promise.resolve(),
    };
    const locate = () => Promise.resolve('rg');
    // A clock that is ahead: folders that were just made are taken for calm ones, and ripgrep is believed.
    const now = () => Date.now() + 60_000;
    return Promise.resolve(
      openSearch({ roots: [root], processes, env: {}, locate, limits, now }).serve(session),
    );
  }

  it('that does not end is stopped at the time limit, and its results are returned', async () => {
    const port = await search([{ output: './b\0./a\0./su' }], { timeMs: 30 });
    expect(await port.findText(query, signal)).toMatchObject({
      files: [{ path: 'a' }, { path: 'b' }],
      stopped: 'time',
      isTruncated: true,
    });
    expect(closed).toBe(1);
  });

  it('that continues with enough results is stopped', async () => {
    const port = await search([{ output: './b\0./a\0./sub/c\0' }], { countingMs: 0 });
    expect(await port.findText(query, signal)).toMatchObject({ stopped: 'limit', totalFiles: 3 });
    expect(closed).toBe(1);
  });

  it('that cannot sort in time is run again without sorting', async () => {
    const exit = { code: 0, signal: null };
    const port = await search([{}, { output: './b\0./a\0', exit }], { timeMs: 60 });
    const found = await port.findFiles(
      { pattern: '*', order: 'newest', limit: 9, includeIgnored: false },
      signal,
    );
    expect(found).toMatchObject({ files: ['a', 'b'], stopped: 'time', isTruncated: true });
    expect(orders.map(({ args }) => args.includes('--sortr=modified'))).toEqual([true, false]);
  });

  it('that is killed from outside is a retryable failure', async () => {
    const port = await search([{ output: './a\0', exit: { code: null, signal: 'SIGKILL' } }]);
    await expect(port.findText(query, signal)).rejects.toMatchObject({
      code: 'external',
      message: expect.stringContaining('SIGKILL'),
      facts: { retryable: true },
    });
  });

  it('that could not read some files is trusted for the others', async () => {
    const errors =
      'rg: ./sub: Permission denied (os error 13)\nrg: ./gone: No such file or directory (os error 2)\n';
    const port = await search([{ output: './a\0', errors, exit: { code: 2, signal: null } }]);
    expect(await port.findText(query, signal)).toMatchObject({
      files: [{ path: 'a' }],
      skipped: [{ path: 'sub', reason: 'Permission denied' }],
      totalSkipped: 1,
    });
  });

  it('that fails is reported with its message', async () => {
    const port = await search([{ errors: 'rg: something new\n', exit: { code: 2, signal: null } }]);
    await expect(port.findText(query, signal)).rejects.toMatchObject({
      code: 'external',
      message: 'ripgrep did not search: something new',
    });
  });

  it('is ended when the service closes', async () => {
    const processes: Processes = {
      start: async () => act({}, () => (closed += 1)),
      close: () => Promise.resolve(),
    };
    const locate = () => Promise.resolve('rg');
    const service = openSearch({ roots: [root], processes, env: {}, locate, limits: { timeMs: 200 } });
    const running = (await service.serve(session)).findText(query, signal);
    await expect.poll(async () => (await service.close(), closed)).toBeGreaterThan(0);
    await running;
  });
});

const session = {
  id: 's',
  principal: { kind: 'agent', id: 'a', zone: 'local' },
  scope: 'connection',
} as const;

function act({ output = '', errors = '', exit }: Script, onClose: () => void): ChildProcess {
  const nothing = () => {};
  return {
    pid: process.pid,
    write: () => true,
    onDrain: nothing,
    endInput: nothing,
    onOutput: (listener) => queueMicrotask(() => listener(Buffer.from(output))),
    onErrorOutput: (listener) => listener(Buffer.from(errors)),
    onNotes: nothing,
    onExit: (listener) => exit && setImmediate(() => listener(exit)),
    pauseOutput: nothing,
    resumeOutput: nothing,
    pauseErrorOutput: nothing,
    resumeErrorOutput: nothing,
    close: async () => {
      onClose();
      return { isGone: true, ended: 0 };
    },
  };
}
