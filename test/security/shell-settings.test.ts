import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endProcess, openPlace, spawnStdioGate } from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';
import { hasProc } from '../support/proc.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

async function open(shell: object) {
  const place = openPlace({ builtins: ['Bash'], shell });
  spawnSync('git', ['init', '-q'], { cwd: join(place.directory, 'workspace') });
  const client = openLineClient(spawnStdioGate(place));
  onTestFinished(async () => {
    await endProcess(client.child);
    place.close();
  });
  await client.initialize();
  const bash = async (command: string) => {
    const { message } = await client.request('tools/call', { name: 'Bash', arguments: { command } }, 100_000);
    const { structuredContent } = message.result as unknown as {
      readonly structuredContent: { readonly stdout: string; readonly sandbox: string };
    };
    return structuredContent;
  };
  return { bash, place };
}

const configure = 'git config user.name someone && git config user.name';

describe.skipIf(!hasBubblewrap)('[16.25] the sandbox of commands', () => {
  it('can be turned off: then `git config` works, and the result says so', async () => {
    const { bash, place } = await open({ sandbox: 'off' });
    const { stdout, sandbox } = await bash(configure);
    expect(sandbox).toBe('none');
    expect(stdout).toBe('someone\n');
    place.write({ shell: { sandbox: 'off', network: false } });
    expect(place.run('trust', '--yes', place.configFile).stdout).toMatch(
      /Changes a security setting\n {2}shell\n {4}sandbox {2}"off"/,
    );
  });

  it('control: `git config` fails in the sandbox', async () => {
    const { bash } = await open({});
    const { stdout, sandbox } = await bash(configure);
    expect(sandbox).toBe('bubblewrap');
    expect(stdout).not.toContain('someone');
  });

  it.each([
    ['reaches no address without the network', { network: false }, ''],
    ['control: reaches it with the network', {}, 'REACHED'],
  ] as const)('%s', async (_title, shell, answer) => {
    const server = createServer((_request, response) => response.end('REACHED'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { bash } = await open(shell);
    const { stdout, sandbox } = await bash(
      `python3 -c 'import urllib.request as u; print(u.urlopen("http://127.0.0.1:${String(port)}").read().decode())' 2>/dev/null`,
    );
    expect(sandbox).toBe('bubblewrap');
    expect(stdout.trim()).toBe(answer);
  });
});
