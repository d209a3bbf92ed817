import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endProcess, openPlace, spawnStdioGate } from '../support/gate.js';
import { type LineClient, openLineClient } from '../support/line-client.js';

const limitMs = 120_000;
const linesEach = 100_000;
const pieces = 300;

interface Asked {
  readonly id?: unknown;
  readonly method: string;
  readonly params: { readonly arguments: { readonly line: string; readonly count: number } };
}

interface Hostile {
  readonly url: string;
  /** How much of the last flood went out. */
  sent(): number;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.once('drain', go).once('close', go);
  });
}

/** Answers a call with `count` times the line, and then with a result. */
async function openHostile(): Promise<Hostile> {
  let sent = 0;
  const answerCall = async (
    id: unknown,
    line: string,
    count: number,
    response: ServerResponse,
  ): Promise<void> => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    sent = 0;
    for (; sent < count && !response.destroyed; sent += linesEach) {
      const piece = line.repeat(Math.min(linesEach, count));
      if (!response.write(piece)) await drained(response);
    }
    response.end(
      `\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'fine' }] } })}\n\n`,
    );
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await text(request)) as Asked;
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/call')
      return answerCall(id, params.arguments.line, params.arguments.count, response);
    const serverInfo = { name: 'hostile', version: '1' };
    const results: Readonly<Record<string, object>> = {
      initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo },
      'tools/list': { tools: [{ name: 't', inputSchema: { type: 'object' } }] },
    };
    const result = results[method];
    const body = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, sent: () => sent };
}

async function openGate(url: string): Promise<LineClient> {
  const place = openPlace({ builtins: [], servers: { h: { url, prefix: '' } } });
  const client = openLineClient(spawnStdioGate(place));
  onTestFinished(async () => {
    await endProcess(client.child);
    place.close();
  });
  await client.initialize();
  return client;
}

async function call(client: LineClient, line: string, count: number): Promise<string> {
  const order = { name: 't', arguments: { line, count } };
  return (await client.request('tools/call', order, limitMs)).text;
}

describe('[15.14] a stream of lines without content', () => {
  it.each(['data\n', ':\n', '\n', 'data\n\n', 'id\n'])(
    '[15.14] is ended: %j',
    { timeout: limitMs },
    async (line) => {
      const hostile = await openHostile();
      const client = await openGate(hostile.url);
      expect(await call(client, line, pieces * linesEach)).toContain('provider.malformed');
      expect(hostile.sent()).toBeLessThan(pieces * linesEach);
    },
  );

  it.each([':\n\n', '\n'])(
    '[15.14] control: passes in small numbers: %j',
    { timeout: limitMs },
    async (line) => {
      const hostile = await openHostile();
      expect(await call(await openGate(hostile.url), line, 1000)).toContain('fine');
    },
  );
});
