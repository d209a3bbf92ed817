import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLoopback } from '../../../test/support/loopback.js';
import { createWeb } from './create-web.js';
import type { Reach } from './guard.js';

let server: Awaited<ReturnType<typeof openLoopback>>;
beforeAll(async () => {
  server = await openLoopback((request, response) => {
    if (request.url === '/around') response.writeHead(302, { location: '/around' }).end();
    else if (request.url === '/partly') {
      response.writeHead(200, { 'content-length': '10' });
      response.write('12345', () => response.socket?.destroy());
    } else response.end(request.headers['user-agent']);
  });
});
afterAll(() => server.close());

interface More {
  readonly path?: string;
  readonly isHostFixed?: boolean;
  readonly reach?: Reach;
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const send = (
  host: string,
  { path = '/', isHostFixed = true, reach = 'loopback', timeoutMs = 5000, headers = {} }: More = {},
  signal = new AbortController().signal,
) =>
  createWeb({ reachOf: () => reach }).send(
    { method: 'GET', url: `http://${host}:${String(server.port)}${path}`, headers, timeoutMs, isHostFixed },
    signal,
  );

describe('an address', () => {
  it('can be anything that the file names', async () => {
    for (const reach of ['loopback', 'inner', 'link-local', 'public'] as const)
      expect((await send('127.0.0.1', { reach })).status).toBe(200);
    expect((await send('localhost')).status).toBe(200);
    expect((await send('localhost', { reach: 'inner' })).body).toBe('tidegate');
  });

  it('must be public if the file does not name it', async () => {
    for (const reach of ['loopback', 'inner', 'link-local'] as const)
      for (const host of ['127.0.0.1', 'localhost'])
        await expect(send(host, { reach, isHostFixed: false })).rejects.toThrow('does not name it');
    expect((await send('127.0.0.1', { reach: 'public', isHostFixed: false })).status).toBe(200);
  });

  it('is not link-local for a name, whatever DNS says', async () => {
    await expect(send('localhost', { reach: 'link-local' })).rejects.toThrow('link-local');
  });
});

it('gives up after ten redirects', async () => {
  await expect(send('127.0.0.1', { path: '/around' })).rejects.toThrow('more than 10 redirects');
});

it('does not treat a partial body as complete', async () => {
  await expect(send('127.0.0.1', { path: '/partly' })).rejects.toThrow(/failed: /);
});

it('lets a header replace its own name, in any letter case', async () => {
  expect((await send('127.0.0.1', { headers: { 'User-Agent': 'me' } })).body).toBe('me');
});

it('stops when its caller cancels', async () => {
  const gone = AbortSignal.abort();
  await expect(send('127.0.0.1', {}, gone)).rejects.toThrow(/abort/i);
});
