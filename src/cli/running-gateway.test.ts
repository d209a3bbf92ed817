import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context } from './command.js';
import { createOutput } from './terminal/output.js';
import { askRunningGateway } from './running-gateway.js';

const folder = mkdtempSync(join(tmpdir(), 'tidegate-running-'));
const good = { id: 'a', state: 'ready', tools: 1, restarts: 0 };
let servers: unknown = [good];
let asked = 0;
const gate = createServer((_request, response) => {
  asked += 1;
  response.end(JSON.stringify({ servers }));
});
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  const address = gate.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => {
  gate.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Asks with this serve.json in a folder without a configuration. */
async function ask(running: (url: string) => unknown): ReturnType<typeof askRunningGateway> {
  asked = 0;
  writeFileSync(join(folder, 'serve.json'), JSON.stringify(running(`http://127.0.0.1:${String(port)}/mcp`)));
  const sink = { write: () => undefined, isTerminal: false, columns: 80 };
  const context: Context = {
    cwd: folder,
    env: { HOME: folder, TIDEGATE_HOME: folder },
    version: '1.2.3',
    output: createOutput(sink, sink, false, false),
    signal: new AbortController().signal,
    lendTerminal: () => undefined,
    input: { isTerminal: false, readAll: () => Promise.resolve(''), ask: () => Promise.resolve('') },
  };
  return askRunningGateway(context);
}

describe('a running gateway', () => {
  it('is used if it is alive, on loopback and has the same configuration', async () => {
    expect(await ask((url) => ({ url, pid: process.pid }))).toMatchObject({ servers: [good] });
  });

  it.each([
    ['a process that has ended', (url: string) => ({ url, pid: 2 ** 30 })],
    ['a group of processes', (url: string) => ({ url, pid: 0 })],
    ['all processes', (url: string) => ({ url, pid: -1 })],
    ['another file', (url: string) => ({ url, pid: process.pid, file: '/elsewhere/tidegate.yaml' })],
    ['no file path', (url: string) => ({ url, pid: process.pid, file: 7 })],
    ['another machine', () => ({ url: 'http://192.0.2.1:1/mcp', pid: process.pid })],
    ['no address', () => ({ url: 'nonsense', pid: process.pid })],
  ])('is not contacted, and gets no token, if its record names %s', async (_what, running) => {
    expect(await ask(running)).toBeUndefined();
    expect(asked).toBe(0);
  });

  it.each([[7], [[null]], [[{ ...good, state: {} }]], [[{ ...good, detail: 7 }]]])(
    'is ignored if it answers with %j',
    async (answer) => {
      servers = answer;
      expect(await ask((url) => ({ url, pid: process.pid }))).toBeUndefined();
      expect(asked).toBe(1);
    },
  );
});
