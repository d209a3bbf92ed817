import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGuardedFetch } from './guarded-fetch.js';
import { LoginFailure } from './settings.js';

const server = createServer((request, response) => {
  if (request.url === '/silent') return;
  if (request.url === '/away') return void response.writeHead(302, { location: '/' }).end();
  response.end('x'.repeat(2000));
});
let base = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function reasonOf(
  from: string,
  to: string,
  limits = { mostBytes: 5000, longestMs: 300 },
  options: { readonly answeredFrom?: string } = {},
): Promise<string> {
  const fetch = await openGuardedFetch(from, { limits, ...options });
  try {
    return String((await fetch(to)).status);
  } catch (error) {
    return error instanceof LoginFailure ? error.reason : String(error);
  }
}

const inside = [
  'https://127.0.0.1:1/',
  'https://127.9.9.9:1/',
  'https://2130706433:1/',
  'https://0.0.0.0:1/',
  'https://10.255.255.1:1/',
  'https://192.168.0.1:1/',
  'https://172.31.0.1:1/',
  'https://100.64.0.1:1/',
  'https://[::1]:1/',
  'https://[::]:1/',
  'https://[::ffff:127.0.0.1]:1/',
  'https://[64:ff9b::7f00:1]:1/',
  'https://[fd00::1]:1/',
  'https://localhost:1/',
];

describe('the addresses that a login may fetch', () => {
  it.each(inside)('are not private if the server is public: %s', async (to) => {
    expect(await reasonOf('https://93.184.215.14/mcp', to)).toBe('unfit');
  });

  it('can be private if the server is private', async () => {
    expect(await reasonOf(`${base}/mcp`, base)).toBe('200');
    expect(await reasonOf(`${base}/mcp`, 'https://localhost:1/')).toBe('unreachable');
  });

  it('[15.49] are not private if the server answered from a public address', async () => {
    const limits = { mostBytes: 5000, longestMs: 300 };
    for (const answeredFrom of ['203.0.113.7', '::ffff:203.0.113.7', 'unknown'])
      expect(await reasonOf(`${base}/mcp`, base, limits, { answeredFrom })).toBe('unfit');
    for (const answeredFrom of ['127.0.0.1', '::ffff:10.0.0.3', 'fd00::1%eth0'])
      expect(await reasonOf(`${base}/mcp`, base, limits, { answeredFrom })).toBe('200');
  });

  it.each(['https://169.254.169.254/', 'https://[fe80::1]/', 'https://[::ffff:169.254.169.254]/'])(
    'never include cloud metadata addresses: %s',
    async (to) => {
      expect(await reasonOf(`${base}/mcp`, to)).toBe('unfit');
    },
  );

  it.each(['http://example.com/', 'http://10.0.0.1/', 'ftp://127.0.0.1/', 'file:///etc/passwd'])(
    'use https, or http on this machine: not %s',
    async (to) => {
      expect(await reasonOf(`${base}/mcp`, to)).toBe('unfit');
    },
  );

  it('are limited in size and time, and redirects are not followed', async () => {
    expect(await reasonOf(base, base, { mostBytes: 1000, longestMs: 300 })).toBe('unfit');
    expect(await reasonOf(base, `${base}/silent`)).toBe('unreachable');
    expect(await reasonOf(base, `${base}/away`)).toBe('302');
  });
});
