import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openShell } from '../../src/services/shell/index.js';
import { count } from '../support/counts.js';
import { hasProc } from '../support/proc.js';
import { openTestShell, protectedPaths, systemPath, type TestShell } from '../support/shell.js';

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

describe.skipIf(!hasBubblewrap)('the ground under a sandbox', () => {
  let shell: TestShell;
  beforeEach(async () => {
    shell = await openTestShell({ sandbox: 'bubblewrap' });
  });
  afterEach(() => shell.close());

  it('cannot be exchanged by a command that runs beside', async () => {
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

  it('keeps what is protected for commands beside others', async () => {
    const session = await shell.as('session');
    const { id } = await session.start({ command: 'sleep 30' });
    await shell.run('echo x > .git/hooks/escaped; mv .git g; echo x >> .git/config');
    expect(readdirSync(join(shell.root, '.git', 'hooks'))).toEqual([]);
    await session.stop(id);
  });

  it('does not reach the controls of the kernel', async () => {
    const { stdout } = await shell.run('find /proc/sys -type f -writable 2>/dev/null | wc -l');
    expect(stdout.trim()).toBe('0');
  });

  it('is not another folder that took the place of a root', async () => {
    renameSync(shell.root, `${shell.root}.old`);
    symlinkSync(shell.outside, shell.root);
    await expect(shell.run('echo x > escaped')).rejects.toMatchObject({ facts: { reason: 'root_gone' } });
    expect(readdirSync(shell.outside)).toEqual([]);
  });

  it('does not hold the state of the gate', async () => {
    const stateDir = join(shell.root, 'deep', 'state');
    mkdirSync(stateDir, { recursive: true });
    const { processes } = shell;
    const env = { PATH: systemPath };
    const inside = openShell({
      roots: [shell.root],
      stateDir,
      processes,
      env,
      protectedPaths: () => protectedPaths,
    });
    const port = await inside.serve({
      id: 's',
      scope: 'connection',
      principal: { kind: 'user', id: 'u', zone: 'local' },
    });
    await expect(port.run({ command: 'true' }, {} as never)).rejects.toMatchObject({
      facts: { reason: 'state_in_workspace' },
    });
    await inside.close();
  });
});
