import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { endProcess, fixtureServer, openHttpGate, openPlace, program, waitFor } from '../support/gate.js';
import { envelope, type LineClient, openLineClient, requestLine } from '../support/line-client.js';
import { memoryOf } from '../support/proc.js';
import { tokenOf } from '../support/raw-client.js';

const place = openPlace({
  log: { level: 'silent' },
  servers: { fix: { command: process.execPath, args: [fixtureServer], prefix: '' } },
});
const cwd = join(place.directory, 'workspace');
let gate: Awaited<ReturnType<typeof openHttpGate>>;
beforeAll(async () => {
  gate = await openHttpGate(place);
});
afterAll(async () => {
  await gate.close();
  place.close();
});

describe('tidegate mcp --via', () => {
  it.each([
    ['legacy', '2025-11-25'],
    [{ pin: '2026-07-28' }, '2026-07-28'],
    ['auto', '2026-07-28'],
  ] as const)('serves the official client in mode %j', async (mode, version) => {
    const client = new Client(
      { name: 'via', version: '1' },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode } },
    );
    client.setRequestHandler('elicitation/create', () => ({
      action: 'accept' as const,
      content: { username: 'Ann', email: 'ann@host.example' },
    }));
    const args = [program, 'mcp', '--via', gate.url];
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args,
        env: { ...place.env },
        cwd,
        stderr: 'ignore',
      }),
    );
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(20);
    const asked = await client.callTool({ name: 'test_elicitation', arguments: { message: 'who?' } });
    expect(JSON.stringify(asked.content)).toContain('Ann');
    const mirrored = await client.callTool({
      name: 'test_x_mcp_header',
      arguments: { region: 'eü', level: 3 },
    });
    expect(JSON.stringify(mirrored.content)).toContain('region=eü, level=3');
    await client.close();
  });

  it('returns the same bytes as the gateway itself', async () => {
    const direct = openLineClient(start('mcp', '--config', place.configFile));
    const viaCallTool = openLineClient(start('mcp', '--via', gate.url));
    await Promise.all([direct.initialize(), viaCallTool.initialize()]);
    const line = `${requestLine('12345678901234567890', 'tools/list')}\n`;
    const [one, other] = await Promise.all(
      [direct, viaCallTool].map((client) => client.ask('12345678901234567890', line)),
    );
    expect(other?.text).toBe(one?.text);
    await Promise.all([endProcess(direct.child), endProcess(viaCallTool.child)]);
  });

  it.each([
    ['its input ends', (child: ChildProcessWithoutNullStreams) => child.stdin.end()],
    ['it receives SIGTERM', (child: ChildProcessWithoutNullStreams) => child.kill('SIGTERM')],
    ['it receives SIGINT', (child: ChildProcessWithoutNullStreams) => child.kill('SIGINT')],
  ])('exits cleanly and ends its session when %s', async (_what, end) => {
    const client = openLineClient(start('mcp', '--via', gate.url));
    await client.initialize();
    await waitFor(
      async () => (await sessions()) > 0,
      5000,
      () => 'no session was opened',
    );
    const before = await sessions();
    const started = performance.now();
    end(client.child);
    expect(await client.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(await sessions()).toBe(before - 1);
  });

  it('reconnects when the gateway restarts', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${String(port)}/mcp`;
    const serve = (): ChildProcessWithoutNullStreams =>
      start('serve', '--config', place.configFile, '--port', String(port));
    const isUp = async (): Promise<boolean> => (await fetch(new URL('/healthz', url))).ok;
    const first = serve();
    await waitFor(isUp, 20_000, () => 'serve did not start');
    const client = openLineClient(start('mcp', '--via', url));
    await client.initialize();
    await client.request('logging/setLevel', { level: 'debug' });
    first.kill('SIGKILL');
    await new Promise((resolve) => first.once('exit', resolve));
    const down = await client.request('tools/call', { name: 'test_simple_text' });
    expect(down.message.error?.data).toEqual({ code: 'provider.unavailable' });
    const second = serve();
    await waitFor(isUp, 20_000, () => 'serve did not start again');
    const up = await client.request('tools/call', { name: 'test_simple_text' });
    expect(up.message.result).toBeDefined();
    await waitFor(
      () => client.unclaimed.some(({ message }) => message.method === 'notifications/tools/list_changed'),
      5000,
      () => 'the client was not notified that lists may have changed',
    );
    await Promise.all([endProcess(client.child), endProcess(second)]);
  });

  it('exits with 4 if no gateway answers', async () => {
    const url = `http://127.0.0.1:${String(await freePort())}/mcp`;
    const client = openLineClient(start('mcp', '--via', url));
    const answer = await client.request('initialize', {});
    expect(answer.message.error?.message).toContain('tidegate serve');
    client.child.stdin.end();
    expect(await client.ended).toEqual({ code: 4, signal: null });
    expect(client.stderr()).toContain('gate.unreachable');
  });

  it('never prints a password from the URL', async () => {
    const port = await freePort();
    const client = openLineClient(start('mcp', '--via', `http://ann:hunter2@127.0.0.1:${String(port)}/mcp`));
    const answer = await client.request('initialize', {});
    expect(answer.message.error?.message).toContain(
      `No gateway responds at http://127.0.0.1:${String(port)}/mcp`,
    );
    client.child.stdin.end();
    expect(await client.ended).toEqual({ code: 4, signal: null });
    expect(client.stderr()).toContain(`No gateway answered at http://127.0.0.1:${String(port)}/mcp.`);
    expect(client.stderr() + answer.text).not.toMatch(/ann|hunter2/);
  });

  it('says that the token was rejected, and exits with 7', async () => {
    const client = openLineClient(start('mcp', '--via', gate.url, '--token', 'wrong-secret'));
    const answer = await client.request('initialize', {});
    expect(answer.message.error?.message).toContain('refused the token');
    expect(await client.ended).toEqual({ code: 7, signal: null });
    expect(client.stderr()).toContain(
      `error gate.token_refused: The gateway at ${gate.url} rejected the token.`,
    );
    expect(client.stderr()).toContain('TIDEGATE_TOKEN');
    expect(client.stderr() + answer.text).not.toContain('wrong-secret');
  });

  it('uses little memory for a client that does not read', async () => {
    const client: LineClient = openLineClient(start('mcp', '--via', gate.url));
    await client.ask('"warm"', `${requestLine('"warm"', 'tools/list', { _meta: envelope() })}\n`);
    const { pid = 0 } = client.child;
    const before = memoryOf(pid).now;
    client.child.stdout.pause();
    for (let i = 0; i < 3000; i += 1)
      client.send(`${requestLine(String(i), 'tools/list', { _meta: envelope() })}\n`);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(memoryOf(pid).now - before).toBeLessThan(96 * 1024 * 1024);
    client.child.kill('SIGKILL');
    await client.ended;
  });
});

function start(...words: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, ...words], {
    cwd,
    env: place.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

async function sessions(): Promise<number> {
  const headers = { authorization: `Bearer ${tokenOf(place)}` };
  const answer = await fetch(new URL('/api/status', gate.url), { headers });
  return ((await answer.json()) as { readonly sessions: number }).sessions;
}
