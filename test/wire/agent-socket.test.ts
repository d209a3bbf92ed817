import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeAgent, writeFakeAgent } from '../support/fake-agent.js';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';
import { endProcess, program, waitFor } from '../support/gate.js';

// How a launched agent connects to the gateway: a socket that requires a ticket, and the shim that forwards the bytes.

let place: FlowPlace;
let fake: FakeAgent;
let run: ChildProcessWithoutNullStreams;
let config: string;
const children: ChildProcess[] = [];
const sockets: Socket[] = [];

beforeEach(async () => {
  place = openFlowPlace();
  fake = writeFakeAgent(place.directory, 'claude', { cli: 'claude', lines: [], stays: true });
  const options = { program: fake.program };
  const a = {
    type: 'agent',
    provider: 'claude',
    prompt: 'x',
    options,
    mcp_proxy: { enable: true },
    on_success: 'done',
  };
  const file = place.file('x.yaml', JSON.stringify({ name: 'x', states: { initial: 'a', a, done } }));
  run = spawn(process.execPath, [program, 'run', file], { cwd: place.workspace, env: place.env });
  await waitFor(
    () => launched() !== undefined,
    30_000,
    () => 'the agent was not started',
  );
  config = launched()?.words.at(-1) ?? '';
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await endProcess(run);
  place.close();
});

function launched(): ReturnType<FakeAgent['starts']>[number] | undefined {
  return fake.starts().find(({ isTrial }) => !isTrial);
}

interface SocketFile {
  readonly address: string;
  readonly ticket: string;
}

const agentSocket = (): SocketFile => JSON.parse(readFileSync(config, 'utf8')) as SocketFile;
const hello = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
})}\n`;

/** Writes to the socket and returns what it receives until it is answered or disconnected. */
function knock(...texts: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect(agentSocket().address);
  sockets.push(socket);
  return new Promise((resolve) => {
    let heard = '';
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard));
    socket.on('data', (part) => {
      heard += part.toString();
      if (heard.includes('"serverInfo"')) resolve(heard);
    });
    for (const text of texts) socket.write(text);
  });
}

describe('the agent socket', () => {
  it('rejects connections without a ticket, with garbage, or with a ticket of another run', async () => {
    expect(await knock(hello)).not.toContain('serverInfo');
    expect(await knock('\n', hello)).not.toContain('serverInfo');
    expect(await knock(Buffer.from([0xff, 0xfe, 0, 10]), hello)).not.toContain('serverInfo');
    expect(await knock('x'.repeat(100_000))).not.toContain('serverInfo');
    expect(await knock(`${'a'.repeat(43)}\n${hello}`)).toBe('refused\n');
    expect(await knock(`${agentSocket().ticket}x\n${hello}`)).toBe('refused\n');
    // The control: with its ticket the same request is answered; the attempts before did not use it up.
    expect(await knock(`${agentSocket().ticket}\n${hello}`)).toMatch(/^welcome\n.*"serverInfo"/);
  });

  it('accepts a ticket only once', async () => {
    const { ticket } = agentSocket();
    expect(await knock(`${ticket}\n${hello}`)).toContain('serverInfo');
    expect(await knock(`${ticket}\n${hello}`)).toBe('refused\n');
  });

  it('disconnects clients that do not send a ticket in time', async () => {
    const started = performance.now();
    expect(await knock()).toBe('');
    expect(performance.now() - started).toBeGreaterThan(4000);
  }, 20_000);

  it('does not wait for the rest of a partial ticket, and does not use it up', async () => {
    const { ticket } = agentSocket();
    expect(await knock(ticket.slice(0, 10))).toBe('');
    expect(await knock(`${ticket}\n${hello}`)).toContain('serverInfo');
  });

  it('is in a folder, with files, that only this user can access', () => {
    expect(statSync(config).mode & 0o077).toBe(0);
    expect(statSync(dirname(config)).mode & 0o077).toBe(0);
    expect(launched()?.args.join(' ')).not.toContain(agentSocket().ticket);
  });
});

/** Starts the shim like an agent does, and waits until it is connected. */
async function openShim(file = config): Promise<{
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: string | null;
    readonly ms: () => number;
  }>;
  readonly heard: () => string;
  readonly said: () => string;
}> {
  const child = spawn(process.execPath, [program, 'mcp-serve', '--config', file], { env: place.env });
  children.push(child);
  let [heard, said] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (heard += part.toString()));
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  child.stdin.on('error', () => undefined).write(hello);
  const ended = new Promise<
    Awaited<ReturnType<typeof openShim>>['ended'] extends Promise<infer E> ? E : never
  >((resolve) =>
    child.once('exit', (code, signal) => {
      const at = performance.now();
      resolve({ code, signal, ms: () => at });
    }),
  );
  await Promise.race([
    waitFor(
      () => heard.includes('serverInfo'),
      20_000,
      () => `no answer: ${said}`,
    ),
    ended,
  ]);
  return { child, ended, heard: () => heard, said: () => said };
}

describe('the shim', () => {
  const limitMs = 1000;

  it('forwards bytes, and exits at the end of its input', async () => {
    const { child, ended, heard } = await openShim();
    expect(heard()).toContain('"serverInfo"');
    const at = performance.now();
    child.stdin.end();
    const { code, ms } = await ended;
    expect(code).toBe(0);
    expect(ms() - at).toBeLessThan(limitMs);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('exits at once on %s', async (signal) => {
    const { child, ended } = await openShim();
    const at = performance.now();
    child.kill(signal);
    expect((await ended).ms() - at).toBeLessThan(limitMs);
  });

  it('exits when the run ends for any reason', async () => {
    const { ended } = await openShim();
    const at = performance.now();
    run.kill('SIGKILL');
    expect((await ended).ms() - at).toBeLessThan(limitMs);
  });

  it('says why a used ticket, a missing file or an invalid file is refused', async () => {
    const first = await openShim();
    const second = await openShim();
    expect(await second.ended).toMatchObject({ code: 1 });
    expect(second.said()).toContain('the ticket is already used');
    expect(first.child.exitCode).toBeNull();
    const gone = await openShim(join(place.directory, 'none.json'));
    expect([(await gone.ended).code, gone.said()]).toEqual([1, expect.stringContaining('is missing')]);
    const wrong = join(place.directory, 'wrong.json');
    writeFileSync(wrong, '{"address":7}');
    expect((await (await openShim(wrong)).ended).code).toBe(1);
    writeFileSync(wrong, JSON.stringify({ address: join(place.directory, 'nobody'), ticket: 'x' }));
    const dead = await openShim(wrong);
    expect([(await dead.ended).code, dead.said()]).toEqual([1, expect.stringContaining('is over')]);
  });
});
