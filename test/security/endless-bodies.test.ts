import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endProcess, openPlace, spawnStdioGate } from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';

// A body that nobody reads has an end: otherwise a server could keep the gateway busy with it forever.

interface Hostile {
  readonly url: string;
  /** Bodies that are still being sent. */
  open(): number;
  /** Of all bodies that the gateway did not need. */
  megabytes(): number;
}

const piece = Buffer.alloc(256 * 1024);
/** Where the control stops. */
const mostMegabytes = 2000;

async function openHostile(where: 'notifications' | 'redirects'): Promise<Hostile> {
  const bodies = new Set<ServerResponse>();
  let bytes = 0;
  const flood = (response: ServerResponse): void => {
    bodies.add(response);
    response.on('close', () => bodies.delete(response));
    const go = (): void => {
      for (let goesOn = true; goesOn && !response.destroyed && bytes < mostMegabytes * 1e6; ) {
        bytes += piece.length;
        goesOn = response.write(piece);
      }
    };
    response.on('drain', go);
    go();
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(await text(request)) as {
      readonly id?: unknown;
      readonly method: string;
    };
    const isRedirect = where === 'redirects' && method === 'tools/call' && !request.url?.endsWith('/3');
    if (isRedirect) {
      const next = Number(/\d*$/.exec(request.url ?? '')?.[0] ?? 0) + 1;
      response.writeHead(307, { location: `/mcp/${String(next)}` });
      return flood(response);
    }
    if (id === undefined) {
      response.writeHead(202, { 'content-type': 'text/plain' });
      return where === 'notifications' ? flood(response) : void response.end();
    }
    const results: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'hostile', version: '1' },
      },
      'tools/list': { tools: [{ name: 'go', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'fine' }] },
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/mcp`,
    open: () => bodies.size,
    megabytes: () => bytes / 1e6,
  };
}

describe('[15.14] an HTTP server that sends endless bodies', () => {
  it.each(['notifications', 'redirects'] as const)('is cut off: %s', async (where) => {
    const hostile = await openHostile(where);
    const place = openPlace({ servers: { h: { url: hostile.url } } });
    onTestFinished(() => place.close());
    const gate = spawnStdioGate(place);
    onTestFinished(() => endProcess(gate));
    const client = openLineClient(gate);
    await client.initialize();
    for (let at = 0; at < 5; at += 1)
      expect(JSON.stringify(await client.request('tools/call', { name: 'h_go', arguments: {} }))).toContain(
        'fine',
      );
    await expect.poll(() => hostile.open(), { timeout: 10_000 }).toBe(0);
    expect(hostile.megabytes()).toBeLessThan(100);
    // Control: a reader without a limit takes far more.
    const response = await fetch(hostile.url.replace('/mcp', '/mcp/0'), {
      method: 'POST',
      redirect: 'manual',
      body: JSON.stringify(where === 'redirects' ? { id: 1, method: 'tools/call' } : { method: 'x' }),
    });
    let read = 0;
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      read += part.length;
      if (read > 200e6) break;
    }
    expect(hostile.megabytes()).toBeGreaterThan(150);
  });
});
