import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openShell } from '../../src/services/shell/index.js';
import { count } from '../support/counts.js';
import { hasProc } from '../support/proc.js';
import { createFakeExchange } from '../../src/testing/index.js';
import {
  openTestShell,
  ownOf,
  protectedPaths,
  sessionOf,
  systemPath,
  type TestShell,
} from '../support/shell.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

/** Exchanges a folder whose place is protected for a link to the outside, as fast as it can. */
const swapper = `
import ctypes, os, time
libc = ctypes.CDLL(None)
os.makedirs('.zed', exist_ok=True)
os.symlink('../outside', 'lnk')
end = time.time() + 30
while time.time() < end:
    libc.renameat2(-100, b'.zed', -100, b'lnk', 2)
    time.sleep(0.002)
`;

describe.skipIf(!hasBubblewrap)('the workspace root of a sandbox', () => {
  let shell: TestShell;
  beforeEach(async () => {
    shell = await openTestShell({ sandbox: 'bubblewrap' });
  });
  afterEach(() => shell.close());

  it('cannot be replaced by a concurrent command', async () => {
    writeFileSync(join(shell.root, 'swap.py'), swapper);
    const session = await shell.as('session');
    const { id } = await session.start({ command: 'python3 swap.py' });
    const rounds = count(500);
    for (let round = 0; round < rounds; round += 1) {
      await shell.run('for d in .zed lnk; do echo x > $d/escaped; done 2>/dev/null; true');
      expect(existsSync(join(shell.outside, 'escaped')), `round ${String(round)}`).toBe(false);
    }
    await session.stop(id);
    console.log(
      `swapping beside a sandbox: n=${String(rounds)}, ${String(readdirSync(shell.outside).length)} escapes`,
    );
  });

  it('keeps protected files protected for concurrent commands', async () => {
    const session = await shell.as('session');
    const { id } = await session.start({ command: 'sleep 30' });
    await shell.run('echo x > .git/hooks/escaped; mv .git g; echo x >> .git/config');
    expect(readdirSync(join(shell.root, '.git', 'hooks'))).toEqual([]);
    await session.stop(id);
  });

  it('is watched if a gateway with another state folder removes its placeholders', async () => {
    const { root, processes } = shell;
    const stateDir = join(shell.outside, 'other-state');
    mkdirSync(stateDir);
    const parts = { roots: [root], stateDir, processes, env: { PATH: systemPath } };
    const own = ownOf(root, stateDir);
    const other = openShell({ ...parts, own, protectedPaths: () => protectedPaths });
    const first = await other.serve(sessionOf('first'));
    const { id } = await first.start({ command: 'until test -e go; do sleep 0.1; done' });
    const placeholder = join(root, '.claude');
    expect(existsSync(placeholder)).toBe(true);
    const script =
      'echo x > .claude/settings.json; touch go; while test -e .claude; do sleep 0.1; done; mkdir .claude && echo x > .claude/settings.json';
    const result = await shell.run(script);
    await first.stop(id);
    // What it wrote first did not come to be, and what came to be is told.
    expect([result.stderr.match(/Read-only/g)?.length, result.createdPaths]).toEqual([
      1,
      ['.claude/settings.json'],
    ]);
    await other.close();
  });

  it('is watched if another program replaces a protected file', async () => {
    const file = join(shell.root, '.mcp.json');
    writeFileSync(file, 'as it was');
    const script =
      'echo x > .mcp.json; touch go; until grep -q new .mcp.json; do sleep 0.1; done; echo x > .mcp.json';
    const running = shell.run(script);
    await vi.waitUntil(() => existsSync(join(shell.root, 'go')), { timeout: 10_000 });
    writeFileSync(`${file}.draft`, 'new');
    renameSync(`${file}.draft`, file);
    const { stderr, changedPaths } = await running;
    expect([stderr.match(/Read-only/g)?.length, changedPaths]).toEqual([1, ['.mcp.json']]);
  });

  it('does not include kernel controls', async () => {
    const { stdout } = await shell.run('find /proc/sys -type f -writable 2>/dev/null | wc -l');
    expect(stdout.trim()).toBe('0');
  });

  it('is not used if another folder replaced it', async () => {
    renameSync(shell.root, `${shell.root}.old`);
    symlinkSync(shell.outside, shell.root);
    await expect(shell.run('echo x > escaped')).rejects.toMatchObject({ facts: { reason: 'root_gone' } });
    expect(readdirSync(shell.outside)).toEqual([]);
  });

  it('does not contain the state of the gateway', async () => {
    const stateDir = join(shell.root, 'deep', 'state');
    mkdirSync(stateDir, { recursive: true });
    writeFileSync(join(stateDir, 'token'), 'the token');
    const { processes, root } = shell;
    const own = ownOf(root, stateDir);
    const open = (PATH: string) =>
      openShell({
        roots: [root],
        stateDir,
        processes,
        own,
        env: { PATH },
        protectedPaths: () => protectedPaths,
      });
    const inside = open(systemPath);
    const port = await inside.serve(sessionOf('s'));
    const { stdout } = await port.run(
      { command: 'cat deep/state/token; mv deep d; ls -A deep/state | wc -l' },
      createFakeExchange(),
    );
    expect(stdout).toBe('0\n');
    await inside.close();
    // Without a sandbox it would be within reach.
    const bare = open('/nowhere');
    const unprotected = await bare.serve(sessionOf('s'));
    await expect(unprotected.run({ command: 'true' }, createFakeExchange())).rejects.toMatchObject({
      facts: { reason: 'state_in_workspace' },
    });
    await bare.close();
  });
});
