import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpGate, openHttpGate, openPlace, type Place } from '../support/gate.js';
import { spawnFixture } from '../support/hostile-servers.js';
import { mcpHeaders } from '../support/http-client.js';
import { requestLine } from '../support/line-client.js';
import { sendBytes, writeRequest } from '../support/raw-http.js';

let place: Place;
let gate: HttpGate;
let port: number;

beforeAll(async () => {
  // Without a token the guard stands alone.
  place = openPlace({ servers: {}, http: { auth: 'none' }, log: { level: 'error' } });
  gate = await openHttpGate(place);
  port = Number(new URL(gate.base).port);
});

afterAll(async () => {
  await gate.close();
  place.close();
});

/** A Host and an Origin; undefined leaves the header out. */
interface Pair {
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

const ourNames = ['127.0.0.1', 'localhost', '[::1]', 'LocalHost'];

function ourHosts(at: number): readonly string[] {
  return ourNames.map((name) => `${name}:${String(at)}`);
}

function foreignHosts(at: number): readonly (string | undefined)[] {
  const our = String(at);
  const foreignNames = [
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evil-localhost',
    'localhost.',
    'xlocalhost',
    'localhost.localdomain',
    '0.0.0.0',
    '127.1',
    '127.0.0.2',
    '127.0.0.1.',
    '127.000.000.001',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '192.168.0.1',
    '169.254.169.254',
    '[::]',
    '::1',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:0:0:1]',
    '[::1%25lo]',
    '[::1].evil.example',
    'user@127.0.0.1',
    '127.0.0.1@evil.example',
    'localhost%00',
    'localhost%2eevil.example',
    'ｌｏｃａｌｈｏｓｔ',
  ];
  const withWrongPorts = ['127.0.0.1', 'localhost', '[::1]'].flatMap((name) => [
    name,
    `${name}:`,
    `${name}:80`,
    `${name}:${String(at + 1)}`,
    `${name}:0${our}`,
    `${name}:+${our}`,
    `${name}:${our}0`,
    `${name}:${our} `.concat('evil.example'),
    `${name}:${our},evil.example`,
    `${name}:${our}/evil.example`,
    `${name}:${our}#evil.example`,
    `${name}:${our}@evil.example`,
  ]);
  return [
    undefined,
    '',
    our,
    `:${our}`,
    ...foreignNames.map((name) => `${name}:${our}`),
    'evil.example',
    ...withWrongPorts,
  ];
}

function ourOrigins(at: number): readonly (string | undefined)[] {
  return [undefined, ...ourHosts(at).map((host) => `http://${host}`)];
}

function foreignOrigins(at: number): readonly string[] {
  const our = String(at);
  return [
    'null',
    '',
    'http://evil.example',
    'https://evil.example',
    `http://evil.example:${our}`,
    'http://localhost',
    'http://127.0.0.1',
    `http://localhost:${String(at + 1)}`,
    `https://localhost:${String(at + 1)}`,
    `http://localhost.evil.example:${our}`,
    `http://127.0.0.1.evil.example:${our}`,
    `http://127.0.0.1:${our}.evil.example`,
    `http://127.0.0.1:${our}@evil.example`,
    `http://evil.example@127.0.0.1:${our}`,
    `http://127.0.0.1:${our}/`,
    `http://127.0.0.1:${our}#x`,
    `http://127.0.0.1:${our} http://evil.example`,
    `http://evil.example, http://127.0.0.1:${our}`,
    `http:///127.0.0.1:${our}`,
    `http:127.0.0.1:${our}`,
    `//127.0.0.1:${our}`,
    `127.0.0.1:${our}`,
    `ftp://127.0.0.1:${our}`,
    `file://127.0.0.1:${our}`,
    'file://',
    'data:text/html,x',
    `chrome-extension://127.0.0.1:${our}`,
    `vscode-webview://localhost:${our}`,
    `http://[::ffff:127.0.0.1]:${our}`,
    `http://localhost.:${our}`,
  ];
}

/** Every pair of which at least one half is foreign. */
function foreignPairs(at: number): readonly Pair[] {
  const origins = [
    undefined,
    `http://127.0.0.1:${String(at)}`,
    `http://localhost:${String(at)}`,
    'http://evil.example',
  ];
  return [
    ...foreignHosts(at).flatMap((host) => origins.map((origin) => ({ host, origin }))),
    ...ourHosts(at).flatMap((host) => foreignOrigins(at).map((origin) => ({ host, origin }))),
  ];
}

const hello = requestLine('1', 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'page', version: '1' },
});

const routes = [
  ['POST /mcp', hello],
  ['GET /healthz', ''],
  ['GET /readyz', ''],
  ['GET /api/servers', ''],
  ['OPTIONS /mcp', ''],
  ['GET /nothing', ''],
] as const;

async function ask(
  at: number,
  line: string,
  { host, origin }: Pair,
  body: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const bytes = writeRequest(
    line,
    [
      ...(host === undefined ? [] : [['Host', host] as const]),
      ...(origin === undefined ? [] : [['Origin', origin] as const]),
      ...Object.entries(mcpHeaders),
      ['Content-Length', String(Buffer.byteLength(body))],
      ['Connection', 'close'],
    ],
    body,
  );
  const { statuses, text } = await sendBytes(at, Buffer.from(bytes, 'utf8'), 1000);
  return { status: statuses[0] ?? 0, text };
}

/** Tries every pair on a route and gives those that were served. */
async function served(
  at: number,
  pairs: readonly Pair[],
  line: string,
  body: string,
): Promise<readonly unknown[]> {
  const accepted: unknown[] = [];
  for (const pair of pairs) {
    const { status, text } = await ask(at, line, pair, body);
    // 400 is the word of the parser, which read no further.
    if (status !== 403 && status !== 400) accepted.push({ ...pair, line, status });
    if (/access-control-allow/i.test(text)) accepted.push({ ...pair, line, cors: text });
  }
  return accepted;
}

describe('a page under a foreign name', () => {
  it('is refused on every route', async () => {
    const pairs = foreignPairs(port);
    expect(pairs.length).toBeGreaterThanOrEqual(200);
    for (const [line, body] of routes) expect(await served(port, pairs, line, body)).toEqual([]);
    console.log(`dns rebinding: n=${String(pairs.length)} pairs × ${String(routes.length)} routes`);
  });

  it('control: our own names are served', async () => {
    for (const host of ourHosts(port)) {
      for (const origin of ourOrigins(port)) {
        const { status, text } = await ask(port, 'POST /mcp', { host, origin }, hello);
        expect({ host, origin, status }).toEqual({ host, origin, status: 200 });
        expect(text).not.toMatch(/access-control-allow/i);
      }
    }
  });

  it('control: a transport without the guard serves it', async () => {
    const control = spawnFixture('sdk-http-server.mjs');
    const [said] = (await once(control.stdout, 'data')) as [Buffer];
    const at = Number(said.toString());
    const pairs = foreignPairs(at).filter((_, index) => index % 40 === 0);
    const accepted = await served(at, pairs, 'POST /mcp', hello);
    console.log(`control: ${String(accepted.length)} of ${String(pairs.length)} foreign pairs served`);
    expect(accepted.length).toBeGreaterThan(pairs.length / 3);
  });
});
