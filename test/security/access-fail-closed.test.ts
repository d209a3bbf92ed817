import { createHash, randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  attenuateToken,
  makeToken,
  openAccessPlace,
  profilesFile,
  runJson,
  runOk,
  trustAll,
  writeProfiles,
} from '../support/access-place.js';
import { type HttpGate, openHttpGate, type Place, waitFor } from '../support/gate.js';
import { mcpHeaders, modernHeaders } from '../support/http-client.js';
import { envelope, requestLine } from '../support/line-client.js';
import { openPostgresServer, type PostgresServer } from '../support/postgres.js';
import { openRawHttp, openRawStdio, type RawClient, tokenOf } from '../support/raw-client.js';
import { runGate } from '../support/run-program.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

const tool = (name: string): string => `{"name":"${name}","inputSchema":{"type":"object"}}`;
const said = (text: string) => ({ result: `{"content":[{"type":"text","text":"${text}"}]}` });
const openUpstream = (): Promise<ScriptedUpstream> =>
  openScripted('stdio', 'legacy', {
    lists: { 'tools/list': [tool('a'), tool('b')] },
    answers: { 'tools/call': { a: said('a'), b: said('b') } },
  });

const someProfiles = {
  default_profile: 'none',
  profiles: { one: { tools: ['up_a'] }, both: { extends: 'one', tools: ['up_b'] } },
};

/** Names in a list of tools; none where there is no list. */
async function toolsOf(client: RawClient): Promise<readonly string[]> {
  const { result } = await client.request('tools/list', '');
  const { tools = [] } = JSON.parse(result ?? '{}') as {
    readonly tools?: readonly { readonly name: string }[];
  };
  return tools.map(({ name }) => name);
}
const call = async (client: RawClient, name: string): Promise<string> =>
  (await client.request('tools/call', `"name":"${name}","arguments":{}`)).text;

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly challenge: string | null;
}

async function ask(
  gate: HttpGate,
  path: string,
  authorization: string | undefined,
  more: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = more;
  const answer = await fetch(`${gate.base}${path}`, {
    method,
    headers: { ...headers, ...(authorization !== undefined && { authorization }) },
    ...(body !== undefined && { body }),
  });
  const challenge = answer.headers.get('www-authenticate');
  return { status: answer.status, text: await answer.text(), challenge };
}

/** Logs are written a little later. */
function isSaid(log: () => string, word: string): Promise<void> {
  return waitFor(
    () => log().includes(word),
    10_000,
    () => `nothing of ${word} in ${log().slice(-2000)}`,
  );
}

/** Tools that the admin API shows to somebody; the status where it shows none. */
async function seenBy(gate: HttpGate, token: string): Promise<readonly string[] | number> {
  const { status, text } = await ask(gate, '/api/tools', `Bearer ${token}`);
  if (status !== 200) return status;
  const { tools } = JSON.parse(text) as { readonly tools: readonly { readonly name: string }[] };
  return tools.map(({ name }) => name);
}

const callBody = '{}';
const callOver = async (gate: HttpGate, token: string, name: string): Promise<number> =>
  (await ask(gate, `/api/tools/${name}/call`, `Bearer ${token}`, { method: 'POST', body: callBody })).status;

describe('a caller over HTTP', () => {
  let place: Place;
  let gate: HttpGate;
  let upstream: ScriptedUpstream;
  let good: string;
  let sessionId: string;
  const bad = new Map<string, string | undefined>();

  beforeAll(async () => {
    upstream = await openUpstream();
    place = openAccessPlace({ servers: { up: upstream.entry } }, someProfiles);
    gate = await openHttpGate(place);
    const alice = ['--as', 'agent:alice', '--profile', 'both'];
    const one = await makeToken(place, ...alice);
    good = one.secret;
    const revoked = await makeToken(place, ...alice);
    const child = await attenuateToken(place, '--from', revoked.id);
    await runOk(place, 'token', 'revoke', revoked.id);
    const rotated = await makeToken(place, ...alice);
    await runOk(place, 'token', 'rotate', rotated.id);
    const elsewhere = await tokenOfAnotherZone();
    const expired = await expiredToken(alice);
    const bearer = (text: string): string => `Bearer ${text}`;
    const altered = good.slice(0, -1) + (good.endsWith('A') ? 'B' : 'A');
    for (const [what, value] of [
      ['missing', undefined],
      ['blank', ''],
      ['spaces', '   '],
      ['no secret', 'Bearer'],
      ['a blank secret', 'Bearer  '],
      ['another scheme', `Basic ${Buffer.from(`alice:${good}`).toString('base64')}`],
      ['no scheme', good],
      ['forged', bearer(`tgt_${randomBytes(32).toString('base64url')}`)],
      ['forged as the operator', bearer(`tg_${randomBytes(32).toString('base64url')}`)],
      ['the last letter altered', bearer(altered)],
      ['cut short', bearer(good.slice(0, -1))],
      ['one letter too long', bearer(`${good}A`)],
      ['in other letters', bearer(good.toUpperCase())],
      ['its prefix', bearer('tgt_')],
      ['the id', bearer(one.id)],
      ['the hash', bearer(createHash('sha256').update(good).digest('hex'))],
      ['twice', `Bearer ${good}, Bearer ${good}`],
      ['quoted', bearer(`"${good}"`)],
      ['expired', bearer(expired)],
      ['revoked', bearer(revoked.secret)],
      ['made from a revoked one', bearer(child.secret)],
      ['rotated', bearer(rotated.secret)],
      ['of another zone', bearer(elsewhere)],
      ['very long', bearer('x'.repeat(8000))],
    ] as const)
      bad.set(what, value);
    sessionId = await openSession(`Bearer ${good}`);
  });
  afterAll(async () => {
    await gate.close();
    place.close();
    await upstream.close();
  });

  /** Of a place that shares the database, and nothing else. */
  async function tokenOfAnotherZone(): Promise<string> {
    const file = join(place.env['TIDEGATE_HOME'] ?? '', 'state.db');
    const other = openAccessPlace({ store: { file }, access: { zone: 'elsewhere' } }, someProfiles);
    onFinish.push(() => other.close());
    return (await makeToken(other, '--as', 'agent:alice', '--profile', 'both')).secret;
  }
  const onFinish: (() => void)[] = [];
  afterAll(() => onFinish.forEach((finish) => finish()));

  async function expiredToken(alice: readonly string[]): Promise<string> {
    const expires = new Date(Date.now() + 4000).toISOString();
    const { secret, id } = await makeToken(place, ...alice, '--expires', expires);
    // Control: until then it is good.
    if (Date.now() < Date.parse(expires) - 500)
      expect(await seenBy(gate, secret)).toEqual(expect.arrayContaining(['up_a']));
    await waitFor(
      async () => (await seenBy(gate, secret)) === 401,
      20_000,
      () => `${id} did not expire`,
    );
    return secret;
  }

  async function openSession(authorization: string): Promise<string> {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const body = requestLine('1', 'initialize', params);
    const headers = { ...mcpHeaders, authorization };
    const answer = await fetch(gate.url, { method: 'POST', headers, body });
    await answer.text();
    return answer.headers.get('mcp-session-id') ?? '';
  }

  /** Everything that can be asked of a gate, in both eras. */
  function everyRequest(): readonly [what: string, path: string, more: Parameters<typeof ask>[3]][] {
    const legacy = { ...mcpHeaders, 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' };
    const legacyBody = (method: string, params: object = {}) => requestLine('1', method, params);
    const modern = (method: string, params: object, name?: string) => ({
      method: 'POST',
      headers: modernHeaders(method, name),
      body: requestLine('1', method, { ...params, _meta: envelope() }),
    });
    const a = { name: 'up_a', arguments: {} };
    const hello = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const inSession = (body: string) => ({ method: 'POST', headers: legacy, body });
    return [
      [
        'legacy initialize',
        '/mcp',
        { method: 'POST', headers: mcpHeaders, body: legacyBody('initialize', hello) },
      ],
      ['legacy list', '/mcp', inSession(legacyBody('tools/list'))],
      ['legacy call', '/mcp', inSession(legacyBody('tools/call', a))],
      ['legacy stream', '/mcp', { headers: { ...legacy, accept: 'text/event-stream' } }],
      ['legacy end', '/mcp', { method: 'DELETE', headers: legacy }],
      ['modern discover', '/mcp', modern('server/discover', {})],
      ['modern list', '/mcp', modern('tools/list', {})],
      ['modern call', '/mcp', modern('tools/call', a, 'up_a')],
      [
        'modern listen',
        '/mcp',
        modern('subscriptions/listen', { notifications: { toolsListChanged: true } }),
      ],
      ['admin tools', '/api/tools', {}],
      ['admin call', '/api/tools/up_a/call', { method: 'POST', body: callBody }],
      ['admin tokens', '/api/tokens', {}],
      ['admin grant', '/api/grants', { method: 'POST', body: '{"principal":"agent:alice","what":"up_b"}' }],
      ['a token in the query', `/api/tools?token=${good}&access_token=${good}`, {}],
      ['a token in a cookie', '/api/tools', { headers: { cookie: `token=${good}` } }],
      ['an address that does not exist', '/api/nothing', {}],
    ];
  }

  it('without a valid credential gets the same 401 for everything, and reaches no server', async () => {
    const before = upstream.heardOf('tools/call').length;
    const answers = new Set<string>();
    let asked = 0;
    for (const [what, authorization] of bad) {
      for (const [request, path, more] of everyRequest()) {
        const answer = await ask(gate, path, authorization, more);
        expect({ what, request, status: answer.status }).toEqual({ what, request, status: 401 });
        answers.add(JSON.stringify(answer));
        asked += 1;
      }
    }
    console.log(
      `${String(bad.size)} credentials × ${String(everyRequest().length)} requests = ${String(asked)}`,
    );
    expect([...answers]).toHaveLength(1);
    expect([...answers].join()).toContain('Bearer');
    expect(upstream.heardOf('tools/call')).toHaveLength(before);
    // The reasons are for the operator, once in a while, and without any token.
    const reasons = ['no_identity', 'token_malformed', 'token_unknown', 'token_revoked', 'parent_void'];
    await waitFor(
      async () => {
        await ask(gate, '/api/tools', bad.get('forged'));
        return reasons.every((reason) => gate.said().includes(reason));
      },
      40_000,
      () => `the gate said ${gate.said().slice(-2000)}`,
    );
    expect(gate.said()).not.toContain(good);
  });

  it('control: with a valid one is admitted', async () => {
    const before = upstream.heardOf('tools/call').length;
    const refused: string[] = [];
    for (const [request, path, more] of everyRequest()) {
      // Streams stay open, and the session is needed until the last.
      if (['legacy stream', 'modern listen', 'legacy end'].includes(request)) continue;
      const { status } = await ask(gate, path, `Bearer ${good}`, more);
      if (status === 401) refused.push(request);
    }
    expect(refused).toEqual([]);
    expect(upstream.heardOf('tools/call').length).toBeGreaterThan(before);
  });

  it('control of the control: gets in everywhere if authentication is removed', async () => {
    const open = openAccessPlace({ servers: { up: upstream.entry }, http: { auth: 'none' } }, someProfiles);
    onTestFinished(() => open.close());
    const doorless = await openHttpGate(open);
    onTestFinished(() => doorless.close());
    for (const what of ['missing', 'blank', 'forged as the operator'])
      expect((await ask(doorless, '/api/tools', bad.get(what))).status).toBe(200);
    // Not even then does a client's own token make its holder the operator.
    expect((await ask(doorless, '/api/tools', bad.get('revoked'))).status).toBe(401);
  });

  it('is rejected as soon as the token is revoked by another process: requests, sessions and streams', async () => {
    const { secret, id } = await makeToken(place, '--as', 'agent:alice', '--profile', 'both');
    const [legacy, modern] = [
      await openRawHttp(gate, secret, { protocol: 'legacy' }),
      await openRawHttp(gate, secret, { protocol: 'modern' }),
    ];
    onTestFinished(async () => {
      await Promise.all([legacy.close().catch(() => undefined), modern.close()]);
    });
    expect(await toolsOf(legacy)).toEqual(['up_a', 'up_b']);
    expect(await toolsOf(modern)).toEqual(['up_a', 'up_b']);
    const streams = [
      await openStream(legacyStream(await openSession(`Bearer ${secret}`))),
      await openStream(listen),
    ];
    await runOk(place, 'token', 'revoke', id);
    expect(await seenBy(gate, secret)).toBe(401);
    expect(await callOver(gate, secret, 'up_a')).toBe(401);
    for (const client of [legacy, modern])
      await expect(client.request('tools/list', '', { timeoutMs: 500 })).rejects.toThrow();
    await Promise.all(streams.map(({ ended }) => ended));

    async function openStream(init: RequestInit): Promise<{ readonly ended: Promise<unknown> }> {
      const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${secret}` };
      const answer = await fetch(gate.url, { ...init, headers });
      expect(answer.status).toBe(200);
      return { ended: answer.text() };
    }
  });

  const listen: RequestInit = {
    method: 'POST',
    headers: modernHeaders('subscriptions/listen'),
    body: requestLine('1', 'subscriptions/listen', {
      notifications: { toolsListChanged: true },
      _meta: envelope(),
    }),
  };
  const legacyStream = (session: string): RequestInit => ({
    headers: { ...mcpHeaders, accept: 'text/event-stream', 'mcp-session-id': session },
  });
});

describe('a caller over stdio', () => {
  it.each([
    [''],
    [' '],
    ['alice'],
    ['agent:'],
    [':alice'],
    ['root:alice'],
    ['agent:al ice'],
    ['principal:agent/a'],
  ])('with the principal %j is not started', async (as) => {
    const place = openAccessPlace({ builtins: ['Read'] });
    onTestFinished(() => place.close());
    const { status, stdout, stderr } = await runGate(place, ['mcp', '--as', as], { input: '' });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/access\.bad_principal|usage\./);
  });

  it('with a profile that does not exist is not started', async () => {
    const place = openAccessPlace({ builtins: ['Read'] });
    onTestFinished(() => place.close());
    for (const command of [['mcp', '--as', 'agent:alice'], ['mcp'], ['serve', '--port', '0']]) {
      const { status, stderr } = await runGate(place, [...command, '--profile', 'nobodys'], { input: '' });
      expect(status).not.toBe(0);
      expect(stderr).toContain('access.unknown_profile');
    }
  });
});

describe('an unknown principal', () => {
  it.each([
    ['none', []],
    ['minimal', ['Glob', 'Grep', 'Read']],
  ])('gets what default_profile: %s grants, over both transports', async (profile, expected) => {
    const place = openAccessPlace({ builtins: ['*'], access: { default_profile: profile } });
    onTestFinished(() => place.close());
    const gate = await openHttpGate(place);
    onTestFinished(() => gate.close());
    const { secret } = await makeToken(place, '--as', 'agent:nobody');
    const stdio = await openRawStdio(place, { protocol: 'legacy' }, '--as', 'agent:nobody');
    onTestFinished(() => stdio.close());
    const http = await openRawHttp(gate, secret, { protocol: 'modern' });
    onTestFinished(() => http.close());
    const isMinimal = expected.length > 0;
    for (const client of [stdio, http]) {
      expect([...(await toolsOf(client))].sort()).toEqual(expected);
      expect(await call(client, 'Bash')).toContain('Unknown tool: Bash');
      expect((await call(client, 'Glob')).includes('Unknown tool: Glob')).toBe(!isMinimal);
    }
  });
});

describe('an unavailable store', () => {
  let server: PostgresServer;
  let upstream: ScriptedUpstream;
  let place: Place;
  let token: string;

  beforeAll(async () => {
    [server, upstream] = await Promise.all([openPostgresServer(), openUpstream()]);
    const url = await server.createDatabase();
    place = openAccessPlace(
      { servers: { up: upstream.entry }, store: { kind: 'postgres', url } },
      someProfiles,
    );
    await runOk(place, 'profile', 'assign', 'agent:alice', 'both');
    token = (await makeToken(place, '--as', 'agent:alice')).secret;
  });
  afterAll(async () => {
    await server.close();
    place.close();
    await upstream.close();
  });

  const times = (text: string, word: string): number => text.split(word).length - 1;
  const away = 'the access store does not respond';
  const back = 'the access store responds again';

  it('hides everything and refuses every call, warns the operator once, and is used again without a restart', async () => {
    const gate = await openHttpGate(place);
    onTestFinished(() => gate.close());
    const stdio = await openRawStdio(place, { protocol: 'legacy' }, '--as', 'agent:alice');
    onTestFinished(() => stdio.close());
    const session = await openRawHttp(gate, token, { protocol: 'legacy' });
    onTestFinished(() => session.close().catch(() => undefined));
    const operator = tokenOf(place);
    // Everything works, and everything is in memory that could be.
    for (const client of [stdio, session]) {
      expect(await toolsOf(client)).toEqual(['up_a', 'up_b']);
      expect(await call(client, 'up_a')).toContain('"text":"a"');
    }
    expect(await seenBy(gate, operator)).toEqual(['up_a', 'up_b']);

    await server.stop();
    const before = upstream.heardOf('tools/call').length;
    for (let round = 0; round < 5; round += 1) {
      expect(await seenBy(gate, token)).toBe(503);
      expect(await callOver(gate, token, 'up_a')).toBe(503);
      expect(await toolsOf(stdio)).toEqual([]);
      expect(await call(stdio, 'up_a')).toContain('Unknown tool: up_a');
      expect(await seenBy(gate, operator)).toEqual([]);
      expect(await callOver(gate, operator, 'up_a')).toBe(404);
    }
    expect(await ask(gate, '/healthz', undefined)).toMatchObject({ status: 200 });
    expect(upstream.heardOf('tools/call')).toHaveLength(before);
    const logs = [() => gate.said(), () => stdio.said()];
    for (const log of logs) {
      await isSaid(log, away);
      expect(times(log(), away)).toBe(1);
      expect(log()).toContain('store.unavailable');
    }

    await server.start();
    await waitFor(
      async () => Array.isArray(await seenBy(gate, token)) && (await toolsOf(stdio)).length > 0,
      30_000,
      () => `it did not come back: ${gate.said().slice(-2000)}`,
    );
    expect(await seenBy(gate, token)).toEqual(['up_a', 'up_b']);
    for (const client of [stdio, session]) expect(await call(client, 'up_b')).toContain('"text":"b"');
    for (const log of logs) {
      await isSaid(log, back);
      expect(times(log(), away)).toBe(1);
      expect(times(log(), back)).toBe(1);
    }
    // What is revoked after all that is gone at the next call, in both processes.
    await runOk(place, 'profile', 'assign', 'agent:alice', 'one');
    expect(await call(stdio, 'up_b')).toContain('Unknown tool: up_b');
    expect(await call(session, 'up_b')).toContain('Unknown tool: up_b');
    await runOk(place, 'profile', 'assign', 'agent:alice', 'both');
  });

  it('hides everything in a gateway that starts without it, until it is available', async () => {
    await server.stop();
    const gate = await openHttpGate(place);
    onTestFinished(() => gate.close());
    try {
      expect(await seenBy(gate, token)).toBe(503);
      expect(await seenBy(gate, tokenOf(place))).toEqual([]);
    } finally {
      await server.start();
    }
    await waitFor(
      async () => Array.isArray(await seenBy(gate, token)),
      30_000,
      () => `it did not come: ${gate.said().slice(-2000)}`,
    );
    expect(await seenBy(gate, token)).toEqual(['up_a', 'up_b']);
  });

  it('gives operators a clear error, and leaves no partial change', async () => {
    await server.stop();
    try {
      for (const command of [
        ['grant', 'agent:alice', 'up_a'],
        ['profile', 'assign', 'agent:eve', 'both'],
        ['token', 'create', '--as', 'agent:eve'],
        ['token', 'list'],
      ]) {
        const { status, stdout, stderr } = await runGate(place, command);
        expect({ command, status, stdout, stderr }).toEqual({
          command,
          status: 4,
          stdout: '',
          stderr: expect.stringContaining('store.unavailable'),
        });
      }
      // To ask is no change: the answer is no, and why.
      const { status, stdout } = await runGate(place, ['check', 'agent:alice', 'up_a']);
      expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringContaining('store_unavailable') });
    } finally {
      await server.start();
    }
    const { tokens } = await runJson<{ readonly tokens: readonly { readonly principal: string }[] }>(
      place,
      'token',
      'list',
    );
    expect(tokens.map(({ principal }) => principal)).toEqual(['agent:alice']);
  });
});

describe('a damaged store', () => {
  let upstream: ScriptedUpstream;
  beforeAll(async () => {
    upstream = await openUpstream();
  });
  afterAll(() => upstream.close());

  interface Kept {
    readonly place: Place;
    readonly token: string;
    readonly file: string;
  }

  async function openKept(): Promise<Kept> {
    const place = openAccessPlace({ servers: { up: upstream.entry } }, someProfiles);
    onTestFinished(() => place.close());
    await runOk(place, 'profile', 'assign', 'agent:alice', 'both');
    const token = (await makeToken(place, '--as', 'agent:alice')).secret;
    return { place, token, file: join(place.env['TIDEGATE_HOME'] ?? '', 'state.db') };
  }

  /** The same file, other bytes: as a broken disk would leave it. */
  function overwrite(file: string): void {
    if (!existsSync(file)) return;
    const handle = openSync(file, 'r+');
    writeSync(handle, randomBytes(statSync(file).size));
    closeSync(handle);
  }

  it('before the start: nothing is started, with a code that gives the reason', async () => {
    const { place, file, token } = await openKept();
    const copy = `${file}.sound`;
    copyFileSync(file, copy);
    for (const damage of [
      () => overwrite(file),
      () => writeFileSync(file, 'no database at all '.repeat(400)),
    ]) {
      damage();
      for (const command of [
        ['mcp', '--as', 'agent:alice'],
        ['serve', '--port', '0'],
        ['grant', 'agent:alice', 'up_a'],
      ]) {
        const { status, stdout, stderr } = await runGate(place, command, { input: '' });
        expect({ command, status, stdout }).toEqual({ command, status: 4, stdout: '' });
        expect(stderr).toContain('store.corrupt');
      }
    }
    // Control: the sound one starts.
    for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    renameSync(copy, file);
    const gate = await openHttpGate(place);
    onTestFinished(() => gate.close());
    expect(await seenBy(gate, token)).toEqual(['up_a', 'up_b']);
  });

  it.each([
    ['all of it', ['', '-wal', '-shm']],
    ['the file itself, with all its pages in memory', ['']],
  ])('while gateways run (%s): nothing is visible and nothing can be called', async (_, ends) => {
    const { place, token, file } = await openKept();
    const gate = await openHttpGate(place);
    onTestFinished(() => gate.close());
    const stdio = await openRawStdio(place, { protocol: 'modern' }, '--as', 'agent:alice');
    onTestFinished(() => stdio.close());
    expect(await seenBy(gate, token)).toEqual(['up_a', 'up_b']);
    expect(await toolsOf(stdio)).toEqual(['up_a', 'up_b']);
    for (const end of ends) overwrite(`${file}${end}`);
    // The first record that cannot be written uncovers what is still hidden by memory.
    await callOver(gate, token, 'up_a');
    await call(stdio, 'up_a');
    await waitFor(
      async () => (await seenBy(gate, token)) === 503 && (await toolsOf(stdio)).length === 0,
      15_000,
      () => `still there: ${gate.said().slice(-1500)}`,
    );
    const before = upstream.heardOf('tools/call').length;
    for (let round = 0; round < 5; round += 1) {
      expect(await callOver(gate, token, 'up_a')).toBe(503);
      expect(await call(stdio, 'up_a')).toContain('Unknown tool: up_a');
      expect(await seenBy(gate, token)).toBe(503);
      expect(await seenBy(gate, tokenOf(place))).toEqual([]);
      expect(await toolsOf(stdio)).toEqual([]);
    }
    expect(upstream.heardOf('tools/call')).toHaveLength(before);
    await isSaid(() => gate.said(), 'store.corrupt');
    await isSaid(() => stdio.said(), 'store.corrupt');
  });

  it('that was removed, or replaced by an empty one, grants nothing until it is restored', async () => {
    const { place, token, file } = await openKept();
    const gate = await openHttpGate(place);
    onTestFinished(() => gate.close());
    expect(await seenBy(gate, token)).toEqual(['up_a', 'up_b']);
    renameSync(file, `${file}.away`);
    await waitFor(
      async () => (await seenBy(gate, token)) === 503,
      40_000,
      () => 'it is still answered from',
    );
    writeFileSync(file, '', { mode: 0o600 });
    expect(await callOver(gate, token, 'up_a')).toBe(503);
    renameSync(`${file}.away`, file);
    await waitFor(
      async () => Array.isArray(await seenBy(gate, token)),
      40_000,
      () => `it did not come back: ${gate.said().slice(-1500)}`,
    );
    expect(await seenBy(gate, token)).toEqual(['up_a', 'up_b']);
  });
});

describe('a profiles file', () => {
  let upstream: ScriptedUpstream;
  beforeAll(async () => {
    upstream = await openUpstream();
  });
  afterAll(() => upstream.close());

  const starts = [
    ['mcp', '--as', 'agent:alice'],
    ['mcp', '--profile', 'minimal'],
    ['serve', '--port', '0'],
  ];

  /** As if an earlier program had let it be trusted: ours does not. */
  function trustAnyway(place: Place): void {
    const file = join(place.env['TIDEGATE_HOME'] ?? '', 'trust.json');
    const known = JSON.parse(readFileSync(file, 'utf8')) as { files: Record<string, unknown> };
    const sha256 = createHash('sha256')
      .update(readFileSync(profilesFile(place)))
      .digest('hex');
    known.files[profilesFile(place)] = { sha256, recorded: new Date().toISOString() };
    writeFileSync(file, JSON.stringify(known), { mode: 0o600 });
  }

  it.each([
    ['is a folder', undefined, /profiles\.yaml/],
    ['is no YAML', 'profiles: [', /config\.|profiles\./],
    ['is not a profiles document', '{"profiles":{"a":{"toolz":["Read"]}}}', /toolz/],
    ['has a cycle', circle('a', 'b', 'c'), /a -> b -> c -> a|a → b → c → a/],
    ['extends itself', circle('a'), /a -> a|a → a/],
    ['extends an unknown profile', '{"profiles":{"a":{"extends":"nobodys"}}}', /nobodys/],
    ['has a default that does not exist', '{"default_profile":"nobodys"}', /nobodys/],
  ])('that %s: nothing is started, and the operator gets the position', async (_, text, word) => {
    const place = openAccessPlace({ builtins: ['Read'] });
    onTestFinished(() => place.close());
    if (text === undefined) mkdirSync(profilesFile(place), { recursive: true });
    else {
      writeProfiles(place, text);
      const { status, stderr } = place.run('trust', '--yes');
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(word) });
      trustAnyway(place);
    }
    for (const command of starts) {
      const { status, stdout, stderr } = await runGate(place, command, { input: '' });
      expect({ command, status, stdout }).toEqual({ command, status: 2, stdout: '' });
      expect(stderr).toMatch(word);
      expect(stderr).toContain('profiles.yaml');
    }
    // Control: with nothing wrong in it they start.
    rmSync(profilesFile(place), { recursive: true });
    writeProfiles(place, {});
    trustAll(place);
    expect((await runGate(place, ['mcp', '--as', 'agent:alice'], { input: '' })).status).toBe(0);
  });

  function circle(...names: readonly string[]): string {
    const entry = (name: string, at: number) => [name, { extends: names[(at + 1) % names.length] }];
    return JSON.stringify({ profiles: Object.fromEntries(names.map(entry)) });
  }

  it('that is untrusted does not apply: the built-in profiles do, and the operator is warned', async () => {
    const place = openAccessPlace({ builtins: ['*'] });
    onTestFinished(() => place.close());
    writeProfiles(place, { default_profile: 'minimal', profiles: { minimal: { tools: ['*'] } } });
    const list = async () => {
      const client = await openRawStdio(place, { protocol: 'legacy' }, '--as', 'agent:alice');
      const tools = [...(await toolsOf(client))].sort();
      await client.close();
      return { tools, said: client.said() };
    };
    const untrusted = await list();
    expect(untrusted.tools).toEqual(['Glob', 'Grep', 'Read']);
    expect(untrusted.said).toMatch(/not trusted/);
    expect(untrusted.said).toContain('profiles.yaml');
    // Control: trusted, it does.
    trustAll(place);
    const trusted = await list();
    expect(trusted.tools).toContain('Bash');
    expect(trusted.said).not.toMatch(/not trusted/);
  });

  it('that has changed since it was trusted, or is missing, prevents the start', async () => {
    const place = openAccessPlace({ builtins: ['*'] }, { default_profile: 'none' });
    onTestFinished(() => place.close());
    const file = profilesFile(place);
    for (const edit of [() => writeProfiles(place, { default_profile: 'full' }), () => rmSync(file)]) {
      edit();
      for (const command of starts) {
        const { status, stdout, stderr } = await runGate(place, command, { input: '' });
        expect({ command, status, stdout }).toEqual({ command, status: 2, stdout: '' });
        expect(stderr).toContain('profiles.changed');
      }
    }
  });

  it('that is edited while gateways run has no effect until it is trusted, and then takes effect at once', async () => {
    const rules = (tools: readonly string[]) => ({
      default_profile: 'none',
      profiles: { mine: { tools }, theirs: { tools: ['up_a'] } },
    });
    const place = openAccessPlace({ servers: { up: upstream.entry } }, rules(['up_a']));
    onTestFinished(() => place.close());
    const gate = await openHttpGate(place);
    onTestFinished(() => gate.close());
    const token = async (profile: string) =>
      (await makeToken(place, '--as', `agent:${profile}`, '--profile', profile)).secret;
    const [mine, theirs] = [await token('mine'), await token('theirs')];
    const clients = {
      mine: await openRawHttp(gate, mine, { protocol: 'legacy' }),
      mineModern: await openRawHttp(gate, mine, { protocol: 'modern' }),
      mineStdio: await openRawStdio(place, { protocol: 'legacy' }, '--as', 'agent:x', '--profile', 'mine'),
      theirs: await openRawHttp(gate, theirs, { protocol: 'legacy' }),
      theirsModern: await openRawHttp(gate, theirs, { protocol: 'modern' }),
      theirsStdio: await openRawStdio(
        place,
        { protocol: 'legacy' },
        '--as',
        'agent:x',
        '--profile',
        'theirs',
      ),
    };
    const all = Object.values(clients);
    onTestFinished(async () => {
      await Promise.all(all.map((client) => client.close()));
    });
    for (const client of [clients.mineModern, clients.theirsModern]) {
      const wanted = '"notifications":{"toolsListChanged":true}';
      client.request('subscriptions/listen', wanted, { timeoutMs: 600_000 }).catch(() => undefined);
      await waitFor(
        () => client.heard.length > 0,
        10_000,
        () => 'no acknowledgement',
      );
    }
    for (const client of all) expect(await toolsOf(client)).toEqual(['up_a']);
    const changes = (client: RawClient) =>
      client.heard.filter((text) => text.includes('list_changed')).length;
    const mineAll = [clients.mine, clients.mineModern, clients.mineStdio];
    const theirsAll = [clients.theirs, clients.theirsModern, clients.theirsStdio];

    // Not trusted: the old rules stay, and the operator is told.
    writeProfiles(place, rules(['up_a', 'up_b']));
    await waitFor(
      () => [gate.said(), clients.mineStdio.said()].every((text) => text.includes('profiles not reloaded')),
      15_000,
      () => `nobody was told: ${gate.said().slice(-1500)}`,
    );
    for (const client of all) expect(await toolsOf(client)).toEqual(['up_a']);
    expect(await call(clients.mine, 'up_b')).toContain('Unknown tool: up_b');
    expect(all.map(changes)).toEqual(all.map(() => 0));

    // Trusted: it acts, and those hear of it whose list it changes.
    trustAll(place);
    await heardBy(mineAll, 1);
    for (const client of mineAll) {
      expect(await toolsOf(client)).toEqual(['up_a', 'up_b']);
      expect(await call(client, 'up_b')).toContain('"text":"b"');
    }
    for (const client of theirsAll) expect(await toolsOf(client)).toEqual(['up_a']);
    expect(theirsAll.map(changes)).toEqual([0, 0, 0]);

    // And back.
    writeProfiles(place, rules([]));
    trustAll(place);
    await heardBy(mineAll, 2);
    for (const client of mineAll) {
      expect(await toolsOf(client)).toEqual([]);
      expect(await call(client, 'up_a')).toContain('Unknown tool: up_a');
    }
    for (const client of theirsAll) expect(await call(client, 'up_a')).toContain('"text":"a"');
    expect(theirsAll.map(changes)).toEqual([0, 0, 0]);
    expect(mineAll.map(changes)).toEqual([2, 2, 2]);

    async function heardBy(some: readonly RawClient[], count: number): Promise<void> {
      await waitFor(
        () => some.every((client) => changes(client) >= count),
        15_000,
        () => `heard ${JSON.stringify(some.map(changes))}: ${gate.said().slice(-1500)}`,
      );
    }
  });
});
