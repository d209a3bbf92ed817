import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasProc } from '../support/proc.js';
import { openTestShell, type TestShell } from '../support/shell.js';

/** Each would wait for a person. Those whose program is not installed say so, and return as well. */
const commands: Readonly<Record<string, string>> = {
  read: 'read -r -p "Name? " name; echo "got:$name"',
  'read from the terminal': 'read -r name </dev/tty; echo "got:$name"',
  cat: 'cat',
  vim: 'vim file.txt',
  vi: 'vi file.txt',
  nano: 'nano file.txt',
  less: 'seq 1 1000 | less',
  man: 'man ls',
  sudo: 'sudo -k true',
  su: 'su nobody -c true',
  passwd: 'passwd',
  ssh: 'ssh -o ConnectTimeout=2 -o StrictHostKeyChecking=ask nobody@127.0.0.1 -p 1 true',
  'git commit':
    'git init -q r && cd r && git config user.email a@b.c && git config user.name n && echo x > f && git add f && git commit',
  'git rebase': 'cd r && git commit -qm one; echo y > f; git commit -qam two; git rebase -i --root',
  'git log': 'cd r && git -c core.pager= log -p; git log',
  'git clone that asks for a password': 'git clone -q https://user@127.0.0.1:1/x.git',
  python: 'python3 -c "input()"',
  'python shell': 'python3',
  'node shell': 'node',
  bash: 'bash -i',
  crontab: 'crontab -e',
  top: 'top',
  dialog: 'select x in a b; do echo "$x"; break; done',
  'rm that asks': 'touch f; chmod 0 f; rm -i f; rm -f f',
};

describe.skipIf(!hasProc).each(['bubblewrap', 'none'] as const)(
  'commands that would prompt, sandbox %s',
  (sandbox) => {
    let shell: TestShell;
    beforeAll(async () => {
      shell = await openTestShell({ sandbox });
    });
    afterAll(() => shell.close());

    it.each(Object.entries(commands))('%s returns', async (_name, command) => {
      const result = await shell.run(command, { timeoutMs: 5000 });
      expect(result).toMatchObject({ timedOut: false, sandbox });
    });
  },
);

describe.skipIf(!hasProc)('control', () => {
  it('with an open input, the same command waits', async () => {
    const { spawn } = await import('node:child_process');
    const child = spawn('/bin/bash', ['-c', commands['read'] ?? ''], { stdio: ['pipe', 'ignore', 'ignore'] });
    const exited = new Promise<boolean>((resolve) => child.once('exit', () => resolve(true)));
    const waited = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 1000));
    expect(await Promise.race([exited, waited])).toBe(false);
    child.stdin.end();
    await exited;
  });
});
