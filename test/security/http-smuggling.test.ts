import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HttpGate, openHttpGate, openPlace, type Place } from '../support/gate.js';
import { mcpHeaders } from '../support/http-client.js';
import { requestLine } from '../support/line-client.js';
import { type RawAnswer, sendBytes, writeRequest } from '../support/raw-http.js';

let place: Place;
let gate: HttpGate;
let port: number;
let host: string;
let token: string;

beforeAll(async () => {
  place = openPlace({ servers: {}, log: { level: 'error' } });
  gate = await openHttpGate(place);
  ({ host } = new URL(gate.base));
  port = Number(new URL(gate.base).port);
  token = readFileSync(join(place.env['TIDEGATE_HOME'] ?? '', 'token'), 'utf8').trim();
});

afterAll(async () => {
  await gate.close();
  place.close();
});

/** Whatever was sent before, the next client is served. */
beforeEach(async () => {
  expect((await post([])).statuses).toEqual([200]);
});

const hello = requestLine('"first"', 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'client', version: '1' },
});
const length = String(Buffer.byteLength(hello));

type Header = readonly [name: string, value: string];

function head(...more: readonly Header[]): readonly Header[] {
  return [['Host', host], ['Authorization', `Bearer ${token}`], ...Object.entries(mcpHeaders), ...more];
}

function post(more: readonly Header[], body = hello, line = 'POST /mcp'): Promise<RawAnswer> {
  return sendBytes(
    port,
    writeRequest(
      line,
      head(['Content-Length', String(Buffer.byteLength(body))], ['Connection', 'close'], ...more),
      body,
    ),
    300,
  );
}

describe('requests that two parsers would split differently', () => {
  const smuggled = writeRequest('GET /healthz', [['Host', 'x']]);
  const chunked = `${Number(length).toString(16)}\r\n${hello}\r\n0\r\n\r\n`;

  it.each<[string, readonly Header[], string]>([
    [
      'a length and chunks',
      [
        ['Content-Length', length],
        ['Transfer-Encoding', 'chunked'],
      ],
      chunked,
    ],
    [
      'chunks and a length',
      [
        ['Transfer-Encoding', 'chunked'],
        ['Content-Length', '4'],
      ],
      chunked + smuggled,
    ],
    [
      'two different lengths',
      [
        ['Content-Length', length],
        ['Content-Length', '4'],
      ],
      hello + smuggled,
    ],
    ['two lengths in one line', [['Content-Length', `${length}, 4`]], hello + smuggled],
    ['a signed length', [['Content-Length', `+${length}`]], hello + smuggled],
    ['a negative length', [['Content-Length', '-1']], hello + smuggled],
    ['a length in hex', [['Content-Length', '0x10']], hello + smuggled],
    ['an unknown transfer coding', [['Transfer-Encoding', 'xchunked']], chunked + smuggled],
    ['chunked, but not last', [['Transfer-Encoding', 'chunked, identity']], chunked + smuggled],
    [
      'a chunk size with an underscore',
      [['Transfer-Encoding', 'chunked']],
      `1_0\r\n${hello}\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      'a chunk size beyond all numbers',
      [['Transfer-Encoding', 'chunked']],
      `fffffffffffffffff\r\n${hello}\r\n`,
    ],
    ['a space before the colon', [['Content-Length ', length]], hello],
    ['a folded header', [['X-Fold', `a\r\n Content-Length: ${length}`]], hello],
    ['a bare carriage return in a header', [['X-Cut', `a\rContent-Length: ${length}`]], hello],
    [
      'a NUL in a header',
      [
        ['X-Nul', 'a\0b'],
        ['Content-Length', length],
      ],
      hello,
    ],
  ])('refuses %s', async (_what, headers, body) => {
    const { statuses, text } = await sendBytes(port, writeRequest('POST /mcp', head(...headers), body), 300);
    expect(statuses).toEqual([400]);
    expect(text).not.toContain('"first"');
  });

  it('refuses a second Host, in either order', async () => {
    for (const hosts of [
      [host, 'evil.example'],
      ['evil.example', host],
      [host, host],
    ]) {
      const lines = hosts.map((name) => ['Host', name] as const);
      const rest = head(['Content-Length', length]).slice(1);
      const { statuses } = await sendBytes(port, writeRequest('POST /mcp', [...lines, ...rest], hello), 300);
      expect(statuses).toHaveLength(1);
      expect([400, 403]).toContain(statuses[0]);
    }
  });

  it('refuses a second Origin if one of them is foreign', async () => {
    for (const origins of [
      [`http://${host}`, 'http://evil.example'],
      ['http://evil.example', `http://${host}`],
    ]) {
      const { statuses } = await post(origins.map((origin) => ['Origin', origin] as const));
      expect(statuses).toEqual([403]);
    }
  });

  it('serves nothing under an absolute address, whose host could differ from Host', async () => {
    for (const target of [
      'http://evil.example/mcp',
      `http://${host}/mcp`,
      'http://evil.example/healthz',
      '//evil.example/mcp',
    ]) {
      const { statuses, text } = await post([], hello, `POST ${target}`);
      expect(statuses, target).toEqual([404]);
      expect(text).not.toContain('"first"');
    }
  });

  it.each([
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['no protocol', 'GET /healthz\r\n\r\n'],
    ['an ancient protocol', 'GET /healthz HTTP/0.9\r\n\r\n'],
    ['TLS', Buffer.from('16030100a5010000a10303', 'hex')],
    ['noise', Buffer.from([...Array(256).keys()])],
    ['an endless header', `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(100_000)}`],
    ['endless headers', `GET /healthz HTTP/1.1\r\n${'X: a\r\n'.repeat(100_000)}`],
  ])('refuses %s', async (_what, bytes) => {
    const { statuses } = await sendBytes(port, bytes, 300);
    expect(statuses.length).toBeLessThanOrEqual(1);
    for (const status of statuses) expect([400, 403, 431, 505]).toContain(status);
  });

  it('cannot be made to split its response', async () => {
    const words = 'x\r\nSet-Cookie: a=b\r\n\r\nHTTP/1.1 200 OK';
    for (const path of [`/mcp/${encodeURIComponent(words)}`, `/api/tools/${encodeURIComponent(words)}`]) {
      const { text, statuses } = await post([], '', `GET ${path}`);
      expect(statuses).toEqual([404]);
      expect(text).not.toMatch(/^set-cookie/im);
    }
    const { text } = await post([['Mcp-Session-Id', 'a%0d%0aSet-Cookie: a=b']], requestLine('1', 'ping'));
    expect(text).not.toMatch(/^set-cookie/im);
  });
});

describe('requests that a web page can send without a preflight', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'text/json',
    '',
  ])('refuses the content type "%s"', async (type) => {
    const rest = head(['Content-Length', length], ['Connection', 'close']).filter(
      ([name]) => name !== 'content-type',
    );
    const bytes = writeRequest(
      'POST /mcp',
      [...rest, ...(type === '' ? [] : [['Content-Type', type] as const])],
      hello,
    );
    expect((await sendBytes(port, bytes, 300)).statuses).toEqual([415]);
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON ;charset=UTF-8'])(
    'accepts %s',
    async (type) => {
      const rest = head(['Content-Length', length], ['Connection', 'close']).filter(
        ([name]) => name !== 'content-type',
      );
      const bytes = writeRequest('POST /mcp', [...rest, ['Content-Type', type]], hello);
      expect((await sendBytes(port, bytes, 300)).statuses).toEqual([200]);
    },
  );

  it.each(['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'HEAD', 'GET', 'DELETE', 'PROPFIND'])(
    'refuses %s without a session',
    async (method) => {
      const { statuses, text } = await post([], '', `${method} /mcp`);
      expect(statuses).toEqual([405]);
      expect(text).toMatch(/^allow: GET, POST, DELETE/im);
    },
  );

  it.each(['CONNECT', 'FOO', 'post'])('does not know %s', async (method) => {
    const { statuses, text } = await post([], '', `${method} /mcp`);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    expect(text).not.toContain('"first"');
  });

  it('does not switch protocols', async () => {
    const { statuses } = await post(
      [
        ['Connection', 'Upgrade'],
        ['Upgrade', 'websocket'],
        ['Sec-WebSocket-Key', 'x'],
      ],
      '',
      'GET /mcp',
    );
    expect(statuses.filter((status) => status < 400)).toEqual([]);
  });

  it('serves nothing without the token', async () => {
    const rest = head(['Content-Length', length]).filter(([name]) => name !== 'Authorization');
    const wrong = [
      '',
      'Bearer',
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      `Basic ${token}`,
      token,
      `Bearer x ${token}`,
    ];
    for (const line of [
      'POST /mcp',
      'GET /mcp',
      'DELETE /mcp',
      'GET /api/servers',
      'GET /api/openapi.json',
      'POST /api/tools/x/call',
      'GET /x',
    ]) {
      for (const value of [undefined, ...wrong]) {
        const headers = [...rest, ...(value === undefined ? [] : [['Authorization', value] as const])];
        const { statuses, text } = await sendBytes(
          port,
          writeRequest(line, [...headers, ['Connection', 'close']], hello),
          2000,
        );
        expect({ line, value, status: statuses[0] }).toEqual({ line, value, status: 401 });
        expect(text).not.toContain('"first"');
      }
    }
    const { statuses } = await sendBytes(port, writeRequest(`POST /mcp?token=${token}`, rest, hello), 300);
    expect(statuses).toEqual([401]);
  });
});
