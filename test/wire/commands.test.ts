import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { endProcess, fixtureServer, openHttpGate, openPlace, program, waitFor } from '../support/gate.js';
import { tokenOf } from '../support/raw-client.js';

const place = openPlace({
  servers: { fix: { command: process.execPath, args: [fixtureServer], prefix: '' } },
});
const cwd = join(place.directory, 'workspace');
const running = join(place.env['TIDEGATE_HOME'] ?? '', 'serve.json');
let hasTimer = '';
beforeAll(() => {
  hasTimer = join(place.directory, 'slow.mjs');
  writeFileSync(hasTimer, slowServer);
});
afterAll(() => place.close());

describe('the program', () => {
  it('prints its version', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      readonly version: string;
    };
    expect(place.run('--version')).toMatchObject({ status: 0, stdout: `${version}\n` });
  });

  it('prints no colors without a terminal', () => {
    expect(place.run('tools', 'list').stdout).not.toContain('\u001b');
    expect(place.run('tools', 'lst').stderr).not.toContain('\u001b');
  });

  it('calls a tool from the command line', () => {
    const { status, stdout } = place.run('tools', 'call', 'test_simple_text');
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: 'This is a simple text response for testing.\n',
    });
    expect(place.run('tools', 'call', 'test_error_handling').status).toBe(5);
    expect(place.run('tools', 'call', 'test_nothing').status).toBe(3);
    const asJson = place.run('tools', 'call', 'test_image_content', '--json');
    expect(JSON.parse(asJson.stdout)).toMatchObject({ content: [{ type: 'image' }] });
  });

  it('survives a reader that closes the pipe', async () => {
    const child = start('tools', 'list', '--json');
    child.stdout.destroy();
    const [code, signal] = await ended(child);
    expect({ code, signal }).toEqual({ code: 0, signal: null });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('stops a call with status 130 on %s', async (signal) => {
    const slow = openPlace({
      servers: { slow: { command: process.execPath, args: [hasTimer], prefix: '' } },
    });
    const child = spawn(process.execPath, [program, 'tools', 'call', 'wait'], {
      cwd: join(slow.directory, 'workspace'),
      env: slow.env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const mark = join(slow.directory, 'workspace', 'called');
    await waitFor(
      () => existsSync(mark),
      10_000,
      () => 'the tool was not called',
    );
    child.kill(signal);
    const [code] = await ended(child);
    expect(code).toBe(130);
    slow.close();
  });
});

/** Runs a command in its own terminal. */
const terminal = '/usr/bin/script';

describe('tidegate trust', () => {
  it.runIf(existsSync(terminal))('exits with status 130 if Ctrl+C is pressed at its prompt', async () => {
    const fresh = openPlace({ servers: { fix: { command: process.execPath } } }, { trusted: false });
    const command = `'${process.execPath}' '${program}' trust`;
    const child = spawn(terminal, ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd: join(fresh.directory, 'workspace'),
      env: fresh.env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let said = '';
    child.stdout.on('data', (part: Buffer) => (said += part.toString()));
    const over = ended(child);
    await waitFor(
      () => said.includes('[y/N]'),
      10_000,
      () => `it did not ask: ${said}`,
    );
    child.stdin.write('\u0003');
    expect(await over).toEqual([130, null]);
    expect(fresh.run('trust', '--list').stdout).toBe('');
    fresh.close();
  });
});

describe('tidegate serve', () => {
  it('publishes its address for other commands, and cleans up afterwards', async () => {
    const gate = await openHttpGate(place);
    const { status, stdout, stderr } = place.run('servers', '--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { servers } = JSON.parse(stdout) as { readonly servers: readonly { readonly id: string }[] };
    expect(servers.map(({ id }) => id)).toEqual(['fix']);
    expect(existsSync(running)).toBe(true);
    await gate.close();
    expect(existsSync(running)).toBe(false);
    expect(gate.child.exitCode).toBe(0);
  });

  it('is not contacted after it was killed', async () => {
    const gate = await openHttpGate(place);
    gate.child.kill('SIGKILL');
    await ended(gate.child);
    expect(existsSync(running)).toBe(true);
    expect(place.run('servers')).toMatchObject({ status: 0, stdout: expect.stringContaining('fix') });
  });

  it('refuses a port that is in use', async () => {
    const gate = await openHttpGate(place);
    const taken = new URL(gate.url).port;
    const { status, stderr } = place.run('serve', '--port', taken);
    expect(status).toBe(2);
    expect(stderr).toContain('http.port_in_use');
    await gate.close();
  });

  it('shows its token once, and stores it for its owner only', async () => {
    const fresh = openPlace({});
    const args = [program, 'serve', '--port', String(await freePort()), '--json'];
    for (const isFirst of [true, false]) {
      const child = spawn(process.execPath, args, {
        cwd: join(fresh.directory, 'workspace'),
        env: fresh.env,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const line = await new Promise<string>((resolve) =>
        child.stdout.once('data', (part: Buffer) => resolve(part.toString())),
      );
      const { token } = JSON.parse(line) as { readonly token?: string };
      expect(token).toBe(isFirst ? tokenOf(fresh) : undefined);
      await endProcess(child);
    }
    fresh.close();
  });
});

function start(...words: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, ...words], {
    cwd,
    env: place.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function ended(child: ChildProcessWithoutNullStreams): Promise<readonly [number | null, string | null]> {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve([code, signal])));
}

/** A legacy server with one tool that leaves a mark and never answers. */
const slowServer = `import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  const answer = { initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
    'tools/list': { tools: [{ name: 'wait', inputSchema: { type: 'object' } }] } }[method];
  if (method === 'tools/call') writeFileSync('called', '');
  else if (id !== undefined) {
    const tail = answer ? { result: answer } : { error: { code: -32601, message: 'Method not found' } };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...tail }) + '\\n');
  }
}
process.exit(0);
`;
