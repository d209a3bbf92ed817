import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenCommands, type TokenCommands } from '../support/client-tokens.js';
import {
  type HttpGate,
  openHttpGate,
  openPlace,
  type Place,
  spawnStdioGate,
  waitFor,
} from '../support/gate.js';
import {
  type HttpClient,
  mcpHeaders,
  modernHeaders,
  openHttpClient,
  openLegacySession,
} from '../support/http-client.js';
import { envelope, openLineClient, requestLine } from '../support/line-client.js';
import { tokenOf } from '../support/raw-client.js';
import { runGate } from '../support/run-program.js';
import { openSdkClient, sdkKinds } from '../support/sdk-clients.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

const script = {
  lists: {
    'tools/list': ['one', 'two', 'slow', 'ask'].map(
      (name) => `{"name":"${name}","inputSchema":{"type":"object"}}`,
    ),
  },
  answers: {
    'tools/call': {
      one: { result: '{"content":[{"type":"text","text":"the first"}]}' },
      two: { result: '{"content":[{"type":"text","text":"the second"}]}' },
      slow: { hangs: true },
      ask: {
        result:
          '{"resultType":"input_required","requestState":"theirs","inputRequests":{"q":{"method":"elicitation/create","params":{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}}}',
      },
    },
  },
};

let upstream: ScriptedUpstream;
let place: Place;
let gate: HttpGate;
let http: HttpClient;
let tokens: TokenCommands;

beforeAll(async () => {
  upstream = await openScripted('stdio', 'modern', script);
  place = openPlace({ servers: { up: upstream.entry } });
  gate = await openHttpGate(place);
  http = openHttpClient(gate.base);
  tokens = tokenCommands(place);
});
afterAll(async () => {
  http.close();
  await gate.close();
  await upstream.close();
  place.close();
});

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const call = (name: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, _meta: envelope() } });

/** One modern call with this header. */
async function callWith(authorization: string | undefined, name = 'up_one'): Promise<number> {
  const headers = {
    ...modernHeaders('tools/call', name),
    ...(authorization !== undefined && { authorization }),
  };
  return (await http.send('/mcp', call(name), { headers })).status;
}

async function admin(
  method: string,
  path: string,
  secret: string,
  body = '',
): Promise<{ status: number; text: string }> {
  const headers = { ...bearer(secret), 'content-type': 'application/json' };
  return http.send(path, body, { method, headers });
}

function idAndSecret(text: string): { readonly id: string; readonly secret: string } {
  const { token, secret } = JSON.parse(text) as {
    readonly token: { readonly id: string };
    readonly secret: string;
  };
  return { id: token.id, secret };
}

describe.each(sdkKinds)('a token, with the official client $sdk in $mode mode', (kind) => {
  it('is accepted until it is revoked, and not for a single request after that', async () => {
    const { secret, id } = await tokens.create('agent:alice', '--profile', 'full', '--label', kind.mode);
    const client = await openSdkClient({ kind, wire: 'http', place, gate, token: secret, can: [] });
    expect((await client.tools()).map(({ name }) => name)).toEqual(['up_one', 'up_two', 'up_slow', 'up_ask']);
    expect((await client.call('up_one')).content[0]?.text).toBe('the first');
    const before = upstream.heardOf('tools/call').length;
    await tokens.revoke(id);
    await expect(client.call('up_one')).rejects.toThrow();
    await expect(client.tools()).rejects.toThrow();
    expect(await callWith(`Bearer ${secret}`)).toBe(401);
    expect(upstream.heardOf('tools/call')).toHaveLength(before);
    await client.close().catch(() => undefined);
  });
});

describe('a token', () => {
  it('shows when it was last used', async () => {
    const { secret, id } = await tokens.create('agent:alice', '--profile', 'full');
    const find = async () => (await tokens.list()).find((token) => token.id === id);
    expect((await find())?.lastUsedAt).toBeUndefined();
    expect(await callWith(`Bearer ${secret}`)).toBe(200);
    await waitFor(
      async () => (await find())?.lastUsedAt !== undefined,
      10_000,
      () => 'its last use was never recorded',
    );
  });

  it('expires on time', async () => {
    const at = new Date(Date.now() + 4000).toISOString();
    const { secret, id } = await tokens.create('agent:alice', '--profile', 'full', '--expires', at);
    expect(await callWith(`Bearer ${secret}`)).toBe(200);
    await waitFor(
      async () => (await callWith(`Bearer ${secret}`)) === 401,
      15_000,
      () => 'it did not expire',
    );
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(at));
    expect((await tokens.list()).find((token) => token.id === id)?.state).toBe('expired');
  });

  it('that is forged or malformed is refused, always with the same response', async () => {
    const { secret } = await tokens.create('agent:alice', '--profile', 'full');
    const forged = `tgt_${'A'.repeat(43)}`;
    const wrong = [
      undefined,
      '',
      ' ',
      'Bearer',
      'Bearer ',
      `Bearer ${forged}`,
      `Bearer ${secret}x`,
      `Bearer ${secret.slice(0, -1)}`,
      `Bearer ${secret.toUpperCase()}`,
      `Bearer ${secret.slice(4)}`,
      `Bearer ${secret} ${secret}`,
      `Bearer ${secret}, Bearer ${secret}`,
      `Basic ${secret}`,
      `Basic ${Buffer.from(`:${secret}`).toString('base64')}`,
      `Token ${secret}`,
      secret,
    ];
    const seen = new Set<string>();
    for (const authorization of wrong) {
      const headers = {
        ...modernHeaders('tools/call', 'up_one'),
        ...(authorization !== undefined && { authorization }),
      };
      const { status, text, headers: answered } = await http.send('/mcp', call('up_one'), { headers });
      expect({ authorization, status }).toEqual({ authorization, status: 401 });
      seen.add(JSON.stringify([text, answered['www-authenticate'], answered['content-type']]));
    }
    expect(seen.size).toBe(1);
    // The control.
    expect(await callWith(`Bearer ${secret}`)).toBe(200);
  });

  it('is rotated: the old one is refused, the new one has its rights', async () => {
    const old = await tokens.create('agent:alice', '--profile', 'full', '--tools', 'up_one');
    const made = await tokens.rotate(old.id);
    expect(made).toMatchObject({ principal: 'agent:alice', profile: 'full', tools: ['up_one'] });
    expect(await callWith(`Bearer ${old.secret}`)).toBe(401);
    expect(await callWith(`Bearer ${made.secret}`)).toBe(200);
  });

  it('sees only its own tools', async () => {
    const { secret } = await tokens.create('agent:alice', '--profile', 'full', '--tools', 'up_*,!up_two');
    const listed = await admin('GET', '/api/tools', secret);
    expect((JSON.parse(listed.text) as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual([
      'up_one',
      'up_slow',
      'up_ask',
    ]);
    const hidden = await admin('POST', '/api/tools/up_two/call', secret, '{}');
    const absent = await admin('POST', '/api/tools/up_six/call', secret, '{}');
    expect([hidden.status, hidden.text.replaceAll('up_two', 'up_six')]).toEqual([absent.status, absent.text]);
    expect(hidden.status).toBe(404);
  });
});

describe('the sessions of a token', () => {
  it('belong to it: another token of the same principal cannot use them', async () => {
    const [one, two] = [
      await tokens.create('agent:twin', '--profile', 'full'),
      await tokens.create('agent:twin', '--profile', 'full'),
    ];
    const session = await openLegacySession(http, {}, bearer(one.secret));
    const list = JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/list' });
    expect((await http.send('/mcp', list, { headers: session })).status).toBe(200);
    const stolen = { ...session, ...bearer(two.secret) };
    expect((await http.send('/mcp', list, { headers: stolen })).status).toBe(404);
    expect((await http.send('/mcp', '', { method: 'DELETE', headers: stolen })).status).toBe(404);
    expect((await http.send('/mcp', list, { headers: session })).status).toBe(200);
  });

  it('end with it, including streams and calls, without another request', async () => {
    const { secret, id } = await tokens.create('agent:alice', '--profile', 'full');
    const session = await openLegacySession(http, {}, bearer(secret));
    let open = 0;
    const onHead = (): void => void (open += 1);
    const stream = http.send('/mcp', '', { method: 'GET', headers: session, limitMs: 60_000, onHead });
    const listening = http.send(
      '/mcp',
      JSON.stringify({
        jsonrpc: '2.0',
        id: 's',
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta: envelope() },
      }),
      { headers: { ...modernHeaders('subscriptions/listen'), ...bearer(secret) }, limitMs: 60_000, onHead },
    );
    await waitFor(
      () => open === 2,
      10_000,
      () => `${String(open)} of 2 streams are open`,
    );
    const headers = { ...modernHeaders('tools/call', 'up_slow'), ...bearer(secret) };
    const running = http.send('/mcp', call('up_slow'), { headers, limitMs: 60_000 });
    const heard = (): number =>
      upstream.heardOf('tools/call').filter((text) => text.includes('"slow"')).length;
    await waitFor(
      () => heard() > 0,
      10_000,
      () => 'the slow call did not arrive',
    );
    await tokens.revoke(id);
    const ends = await Promise.all([stream, listening, running]);
    expect(ends.map(({ status }) => status)).toEqual([200, 200, 401]);
    await waitFor(
      () => upstream.heard().some(({ kind }) => kind === 'cancelled'),
      10_000,
      () => 'the call was not cancelled at the server',
    );
  });
});

describe('a derived token', () => {
  it('has at most the rights of its parent, and ends with it', async () => {
    const parent = await tokens.create('agent:lead', '--profile', 'full', '--tools', 'up_one,up_slow');
    const child = await tokens.attenuate(parent.secret, '--as', 'agent:helper', '--tools', 'up_one,up_two');
    const grandchild = await tokens.attenuate(child.secret);
    expect(child).toMatchObject({ principal: 'agent:helper', parent: parent.id, inheritsActive: true });
    for (const { secret } of [child, grandchild]) {
      const { text } = await admin('GET', '/api/tools', secret);
      expect((JSON.parse(text) as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual([
        'up_one',
      ]);
    }
    await tokens.revoke(parent.id);
    for (const { secret } of [parent, child, grandchild])
      expect(await callWith(`Bearer ${secret}`)).toBe(401);
    const states = await tokens.list();
    expect([child, grandchild].map(({ id }) => states.find((token) => token.id === id)?.state)).toEqual([
      'parent_void',
      'parent_void',
    ]);
  });

  it('cannot answer questions to its parent, or the other way round', async () => {
    const parent = await tokens.create('agent:lead', '--profile', 'full');
    const child = await tokens.attenuate(parent.secret);
    const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
    const ask = async (secret: string, more: object = {}): Promise<string> => {
      const params = { name: 'up_ask', arguments: {}, ...more, _meta: envelope(capabilities) };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const headers = { ...modernHeaders('tools/call', 'up_ask'), ...bearer(secret) };
      return (await http.send('/mcp', body, { headers })).text;
    };
    for (const [mine, other] of [
      [parent, child],
      [child, parent],
    ] as const) {
      const [, requestState] = /"requestState":"([^"]+)"/.exec(await ask(mine.secret)) ?? [];
      const answer = { requestState, inputResponses: { q: { action: 'accept', content: { name: 'Zoe' } } } };
      expect(requestState).toBeDefined();
      expect(await ask(other.secret, answer)).toContain('ask.forged');
      // The control: the client that was asked may answer; the server asks again.
      expect(await ask(mine.secret, answer)).toContain('"input_required"');
    }
  });

  it('expires no later than its parent, can be nested eight levels deep, and can start without active tools', async () => {
    const parent = await tokens.create('agent:lead', '--expires', '1d');
    const link = await tokens.attenuate(parent.secret, '--expires', '30d', '--inherit-active-mcp', 'false');
    let { id } = link;
    expect(link).toMatchObject({ expiresAt: parent.expiresAt, inheritsActive: false });
    let secret = '';
    for (let depth = 3; depth <= 8; depth += 1) {
      const made = await admin('POST', '/api/tokens', tokenOf(place), JSON.stringify({ parent: id }));
      ({ secret, id } = idAndSecret(made.text));
    }
    expect((await admin('GET', '/api/tools', secret)).status).toBe(200);
    const { status, stdout } = await tokens.run(['attenuate', '--json'], { TIDEGATE_TOKEN: secret });
    expect([status, stdout]).toEqual([2, expect.stringContaining('token.too_deep')]);
  });
});

describe('over the admin API', () => {
  it('an admin creates, lists and revokes tokens', async () => {
    const operator = tokenOf(place);
    const body = JSON.stringify({ principal: 'service:ci', profile: 'full', expires: '1h' });
    const { id, secret } = idAndSecret((await admin('POST', '/api/tokens', operator, body)).text);
    expect(await callWith(`Bearer ${secret}`)).toBe(200);
    const listed = await admin('GET', '/api/tokens', operator);
    expect(listed.text).toContain(id);
    expect(listed.text).not.toContain('tgt_');
    expect((await admin('DELETE', `/api/tokens/${id}`, operator)).status).toBe(200);
    expect(await callWith(`Bearer ${secret}`)).toBe(401);
    expect((await admin('DELETE', '/api/tokens/tok_aaaaaaaaaaaa', operator)).status).toBe(404);
    const wrong = await admin('POST', '/api/tokens', operator, '{"principal":"nobody"}');
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('token.bad_principal')]);
  });

  it('a client cannot see servers, counts or tokens, and cannot create tokens', async () => {
    const { secret, id } = await tokens.create('agent:alice', '--profile', 'full');
    const before = (await tokens.list()).length;
    for (const [method, path] of [
      ['GET', '/api/status'],
      ['GET', '/api/servers'],
      ['GET', '/api/tokens'],
      ['POST', '/api/tokens'],
      ['DELETE', `/api/tokens/${id}`],
    ] as const) {
      const { status, text } = await admin(
        method,
        path,
        secret,
        method === 'POST' ? '{"principal":"user:eve"}' : '',
      );
      expect([path, status]).toEqual([path, 403]);
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'access.admin_required' } });
    }
    expect(await tokens.list()).toHaveLength(before);
    expect(await callWith(`Bearer ${secret}`)).toBe(200);
  });
});

describe('a tool requested by name', () => {
  it('is recorded if it is hidden or absent, and not if it is visible', async () => {
    const { secret } = await tokens.create('agent:curious', '--profile', 'full', '--tools', 'up_one');
    const answers = await Promise.all(
      ['up_two', 'up_none', 'up_one'].map((name) => admin('GET', `/api/tools/${name}`, secret)),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 200]);
    const records = async (): Promise<readonly string[]> => {
      const path = '/api/audit?principal=agent:curious&action=describe';
      const { records: found } = JSON.parse((await admin('GET', path, tokenOf(place))).text) as {
        records: readonly Readonly<Record<string, string>>[];
      };
      return found.map(({ decision, target, reason }) => `${decision} ${target} ${reason}`).sort();
    };
    await waitFor(
      async () => (await records()).length > 1,
      10_000,
      () => 'there is no record',
    );
    expect(await records()).toEqual(['deny up_none unknown_tool', 'deny up_two tools_ceiling']);
  });
});

describe('through `mcp --via`', () => {
  it('a token from the environment acts as its principal', async () => {
    const { secret, id } = await tokens.create('agent:alice', '--profile', 'full', '--tools', 'up_two');
    const viaCallTool = { ...place, env: { ...place.env, TIDEGATE_TOKEN: secret } };
    const client = openLineClient(spawnStdioGate(viaCallTool, '--via', gate.url));
    await client.initialize();
    const { text } = await client.ask('9', `${requestLine('9', 'tools/list')}\n`);
    expect(text).toContain('up_two');
    expect(text).not.toContain('up_one');
    await tokens.revoke(id);
    const refused = await client.ask('10', `${requestLine('10', 'tools/list')}\n`);
    expect(refused.text).toContain('"error"');
    client.child.kill();
  });
});

describe('the token commands', () => {
  it.each([
    [['create'], 2, 'usage.missing_argument'],
    [['create', '--as', 'alice'], 2, 'token.bad_principal'],
    [['create', '--as', 'agnt:alice'], 2, 'Did you mean \\"agent\\"?'],
    [['create', '--as', 'agent:alice', '--profile', 'codign'], 2, 'Did you mean \\"coding\\"?'],
    [['create', '--as', 'agent:alice', '--tools', 'a b'], 2, 'usage.bad_value'],
    [['create', '--as', 'agent:alice', '--expires', 'soon'], 2, 'token.bad_expiry'],
    [['create', '--as', 'agent:alice', '--expires', '2001-01-01'], 2, 'token.bad_expiry'],
    [['show', 'tok_nobody'], 3, 'token.not_found'],
    [['revoke', 'tok_aaaaaaaaaaaa'], 3, 'token.not_found'],
    [['attenuate'], 2, 'usage.missing_argument'],
    [['attenuate', '--token', `tgt_${'A'.repeat(43)}`], 3, 'token.not_found'],
    [['attenuate', '--token', 'x', '--from', 'y'], 2, 'usage.exclusive'],
  ] as const)('refuse %j', async (args, status, words) => {
    const ran = await tokens.run([...args, '--json']);
    expect([ran.status, ran.stdout]).toEqual([status, expect.stringContaining(words)]);
  });

  it('suggest a similar token', async () => {
    const { id } = await tokens.create('agent:alice');
    const { stderr } = await tokens.run(['show', id.slice(0, -1)]);
    expect(stderr).toContain(`Did you mean "${id}"?`);
  });

  it('report names and patterns that match no tool, with a suggestion', async () => {
    const args = ['create', '--as', 'agent:alice', '--tools', 'up_oen,up_*,elsewhere_*'];
    const { stderr, status } = await tokens.run(args);
    expect(status).toBe(0);
    expect(stderr).toContain('--tools: no tool is called up_oen. Did you mean "up_one"?');
    expect(stderr).toContain('--tools: no tool is called elsewhere_*.');
    expect(stderr).not.toContain('up_*');
    expect(JSON.parse((await tokens.run([...args, '--json'])).stdout)).toMatchObject({
      warnings: [expect.stringContaining('up_oen'), expect.stringContaining('elsewhere_*')],
    });
  });

  it('say if the parent expires earlier than requested', async () => {
    const parent = await tokens.create('agent:lead', '--expires', '1d');
    const cut = await tokens.run(['attenuate', '--from', parent.id, '--expires', '30d']);
    expect(cut.stderr).toMatch(new RegExp(`It expires with its parent ${parent.id}, at .*, not at .* as`));
    const kept = await tokens.run(['attenuate', '--from', parent.id, '--expires', '1h']);
    expect(kept.stderr).not.toContain('expires with its parent');
    const json = await tokens.run(['attenuate', '--from', parent.id, '--expires', '30d', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      endsWith: { parent: parent.id, requested: expect.stringMatching(/^20.*Z$/) },
    });
  });

  it('list the limits and the parent of a token', async () => {
    const parent = await tokens.create('agent:lister', '--tools', 'up_one');
    const child = await tokens.attenuate(parent.secret, '--as', 'agent:listed');
    const { stdout } = await tokens.run(['list']);
    expect(stdout).toMatch(/^TOKEN +FOR +STATE +PROFILE +TOOLS +FROM /);
    expect(stdout).toMatch(new RegExp(`${parent.id} +agent:lister +active +- +up_one +- `));
    expect(stdout).toMatch(new RegExp(`${child.id} +agent:listed +active +- +- +${parent.id} `));
  });

  it('show the secret once, on standard output, and how to use it', async () => {
    const { stdout, stderr } = await tokens.run(['create', '--as', 'agent:alice', '--profile', 'coding']);
    expect(stdout).toMatch(/^Token +tgt_[\w-]{43}\n/);
    // The port of the running gateway, not the default one.
    expect(stdout).toContain(`TIDEGATE_TOKEN=<token> tidegate mcp --via ${gate.url}\n`);
    expect(stderr).not.toContain('tgt_');
    for (const args of [['list'], ['list', '--json']])
      expect((await tokens.run(args)).stdout).not.toContain('tgt_');
  });

  it('refer the operator of an in-memory gateway to its admin API', async () => {
    const other = openPlace({ store: { kind: 'memory' } });
    const { status, stdout } = await runGate(other, ['token', 'list', '--json']);
    expect([status, stdout]).toEqual([2, expect.stringContaining('access.store_in_memory')]);
    other.close();
  });
});

it('a rejected token is recorded with the reason, and without the token', async () => {
  const shown = `tgt_${'x'.repeat(43)}`;
  expect(await callWith(`Bearer ${shown}`)).toBe(401);
  const records = async (): Promise<string> => {
    const response = await fetch(`${gate.base}/api/audit?action=authenticate`, {
      headers: { authorization: `Bearer ${tokenOf(place)}` },
    });
    return response.text();
  };
  await waitFor(
    async () => /"decision":"deny".*"reason":"[a-z_ ]*token/.test(await records()),
    10_000,
    () => 'no record of the rejected requests',
  );
  expect(await records()).not.toContain(shown);
});

describe('while the store is down', () => {
  it('only the operator is accepted; all tokens work again when it is back', async () => {
    const { secret } = await tokens.create('agent:alice', '--profile', 'full');
    expect(await callWith(`Bearer ${secret}`)).toBe(200);
    const file = join(place.env['TIDEGATE_HOME'] ?? '', 'state.db');
    renameSync(file, `${file}.away`);
    try {
      await waitFor(
        async () => (await callWith(`Bearer ${secret}`)) === 503,
        10_000,
        () => 'the gateway continued without its store',
      );
      const headers = { ...mcpHeaders, ...bearer(secret) };
      const refused = await http.send('/mcp', '{}', { headers });
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '2']);
      expect(refused.text).toContain('access.unavailable');
      expect((await admin('GET', '/api/status', tokenOf(place))).status).toBe(200);
    } finally {
      renameSync(`${file}.away`, file);
    }
    await waitFor(
      async () => (await callWith(`Bearer ${secret}`)) === 200,
      10_000,
      () => 'the gateway did not reconnect to its store',
    );
  });
});

describe('a gateway without authentication', () => {
  it('does not treat a client with a revoked token as the operator', async () => {
    const other = openPlace({ servers: { up: upstream.entry }, http: { auth: 'none' } });
    const served = await openHttpGate(other);
    const { create, revoke } = tokenCommands(other);
    const { secret, id } = await create('agent:alice', '--profile', 'full', '--tools', 'up_one');
    const list = async (headers: Readonly<Record<string, string>>): Promise<readonly [number, string]> => {
      const response = await fetch(`${served.base}/api/tools`, { headers });
      return [response.status, await response.text()];
    };
    expect((await list({}))[1]).toContain('up_two');
    expect((await list(bearer(secret)))[1]).not.toContain('up_two');
    await revoke(id);
    expect((await list(bearer(secret)))[0]).toBe(401);
    await served.close();
    other.close();
  });
});
