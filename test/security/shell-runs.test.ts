import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeExchange } from '../../src/testing/index.js';
import { hasProc } from '../support/proc.js';
import { openTestShell, type TestShell } from '../support/shell.js';

describe.skipIf(!hasProc).each(['bubblewrap', 'none'] as const)('commands, sandbox %s', (sandbox) => {
  let shell: TestShell;
  beforeAll(async () => {
    shell = await openTestShell({ sandbox });
    mkdirSync(join(shell.root, 'sub dir'));
    symlinkSync(shell.outside, join(shell.root, 'escape'));
  });
  afterAll(() => shell.close());

  it('keep both streams, the exit code and the signal if they fail', async () => {
    expect(await shell.run('echo out; echo err >&2; exit 7')).toMatchObject({
      stdout: 'out\n',
      stderr: 'err\n',
      exitCode: 7,
      timedOut: false,
      truncated: false,
    });
    expect(await shell.run('echo out; kill -SEGV $$')).toMatchObject({
      stdout: 'out\n',
      exitCode: 139,
      signal: 'SIGSEGV',
    });
  });

  it('keep their output from before a timeout', async () => {
    const result = await shell.run('echo before; echo more >&2; sleep 60', { timeoutMs: 500 });
    expect(result).toMatchObject({ stdout: 'before\n', stderr: 'more\n', timedOut: true });
  });

  it('run in the requested directory, and in none outside', async () => {
    expect((await shell.run('pwd', { cwd: 'sub dir' })).stdout).toBe(`${join(shell.root, 'sub dir')}\n`);
    for (const cwd of ['escape', '..', '/etc', 'missing']) {
      await expect(shell.run('pwd', { cwd })).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('run in bash without start-up files, and only files carry over', async () => {
    expect(
      (await shell.run('shopt -q login_shell; echo $? $-; X=1; echo [[ a == a ]] && [[ a == a ]]')).stdout,
    ).toMatch(/^1 hBc\n/);
    expect((await shell.run('echo "[$X]"')).stdout).toBe('[]\n');
  });

  it('are refused if they are not valid text', async () => {
    await expect(shell.run('echo a\0b')).rejects.toMatchObject({ facts: { reason: 'nul_in_command' } });
    await expect(shell.run(`: ${'x'.repeat(130_000)}`)).rejects.toMatchObject({
      facts: { reason: 'command_too_long' },
    });
    expect((await shell.run(`: ${'x'.repeat(110_000)}`)).exitCode).toBe(0);
  });

  it('save long output completely in a file, and short output not at all', async () => {
    rmSync(join(shell.root, '.tidegate'), { recursive: true, force: true });
    expect((await shell.run('seq 1 3000')).truncated).toBe(false);
    expect(existsSync(join(shell.root, '.tidegate', 'output'))).toBe(false);
    const {
      stdout,
      truncated,
      outputFile = '',
      isFileComplete,
    } = await shell.run('seq 1 50000; echo last >&2');
    expect([truncated, isFileComplete]).toEqual([true, true]);
    expect(stdout).toMatch(/^1\n2\n.*left out, see \.tidegate\/output\/\w+\/bash-.*\n49999\n50000\n$/s);
    const lines = readFileSync(join(shell.root, outputFile), 'utf8').trim().split('\n');
    expect([lines.length, lines[49_999], lines[50_000]]).toEqual([50_001, '50000', 'last']);
    expect(readdirSync(join(shell.root, '.tidegate', 'output'))).toHaveLength(2);
  });

  it('report every second to a caller that asked for progress', async () => {
    const exchange = createFakeExchange();
    await shell.run('echo one; sleep 1.3; echo two; sleep 1.3', {}, exchange);
    const told = exchange.sent.progress.map(({ value }) => value as { progress: number; message: string });
    expect(told.length).toBeGreaterThan(1);
    expect(told[0]?.message).toBe('running for 1 s: one');
    expect(told.at(-1)?.message).toMatch(/^running for \d s: two$/);
  });

  it('continue in the background, and return new output for each poll', async () => {
    const mine = await shell.as('mine');
    await shell.run('mkfifo go');
    const { id } = await mine.start({ command: 'echo one; read -r line <go; echo "$line"; exit 4' });
    const first = await pollUntil(() => mine.poll(id), 'one\n');
    expect([first.state, first.end]).toEqual(['running', undefined]);
    await shell.run('echo two > go');
    const second = await pollUntil(() => mine.poll(id), 'two\n');
    expect(second.stdout).toBe('two\n');
    await expect.poll(async () => (await mine.poll(id)).end).toEqual({ exitCode: 4 });
    expect((await mine.poll(id)).state).toBe('finished');
  });

  it('in the background run until their jobs have ended', async () => {
    const mine = await shell.as('mine');
    const { id } = await mine.start({ command: '(sleep 0.7; echo late) & echo early' });
    const seen = await pollUntil(() => mine.poll(id), 'late\n');
    expect(seen.stdout).toContain('late');
  });

  it('of another session cannot be seen, polled or ended', async () => {
    const [mine, other] = [await shell.as('mine'), await shell.as('other')];
    const { id } = await mine.start({ command: 'sleep 60' });
    const absent = await other.poll('bash_nothing0').catch((error: unknown) => JSON.stringify(error));
    expect(await other.poll(id).catch((error: unknown) => JSON.stringify(error))).toBe(absent);
    expect(await other.stop(id).catch((error: unknown) => JSON.stringify(error))).toBe(absent);
    expect((await mine.poll(id)).state).toBe('running');
    expect((await mine.stop(id)).state).toBe('killed');
  });

  it('do not affect each other if many run at once', async () => {
    const results = await Promise.all(
      Array.from({ length: 12 }, (_none, index) => shell.run(`sleep 0.2; echo ${index}`)),
    );
    expect(results.map(({ stdout }) => stdout.trim())).toEqual(
      results.map((_result, index) => String(index)),
    );
    expect(readdirSync(shell.root).filter((name) => name === '.mcp.json' || name === '.claude')).toEqual([]);
  });
});

describe.skipIf(!hasProc)('a workspace below /tmp', () => {
  it('is visible in the sandbox and protected in the same way', async () => {
    const shell = await openTestShell({ sandbox: 'bubblewrap', parent: '/tmp' });
    const result = await shell.run(
      'echo x > file; cat file; echo x > .git/hooks/evil; echo x > /tmp/other; ls /tmp',
    );
    expect(result.stdout.startsWith('x\n')).toBe(true);
    if (result.sandbox === 'bubblewrap') expect(readdirSync(join(shell.root, '.git', 'hooks'))).toEqual([]);
    expect(readdirSync(shell.root)).toContain('file');
    await shell.close();
  });
});

async function pollUntil<Report extends { readonly stdout: string }>(
  poll: () => Promise<Report>,
  end: string,
) {
  let all = '';
  for (let count = 0; count < 200; count += 1) {
    const report = await poll();
    all += report.stdout;
    if (all.endsWith(end)) return { ...report, stdout: all };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${JSON.stringify(end)} did not come; got ${JSON.stringify(all)}`);
}
