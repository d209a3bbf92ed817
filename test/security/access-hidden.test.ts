import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { content, type Observer, type Outcome } from '../../src/core/index.js';
import { emptyObject } from '../../src/lib/json-text.js';
import { createFakeExchange, createFakeProvider } from '../../src/testing/index.js';
import { openAccessPlace } from '../support/access-place.js';
import { classify, type Verdict } from '../support/classifier.js';
import { count } from '../support/counts.js';
import { endProcess, type Place, spawnStdioGate, waitFor } from '../support/gate.js';
import { accessFrom, openHall, toolRequest } from '../support/gateway.js';
import { envelope, openLineClient, requestLine } from '../support/line-client.js';
import { pagingServer } from '../support/listing.js';
import { clientWays } from '../support/pairings.js';
import { createRandom } from '../support/random.js';
import { openRawHttp, openRawStdio, type RawClient, tokenOf } from '../support/raw-client.js';
import { type Protocol, openScripted } from '../support/upstreams.js';
import {
  type HiddenWorld,
  hidings,
  marks,
  openHiddenWorld,
  openHttpVoice,
  openStdioVoice,
  profiles,
  type Voice,
} from './hidden-world.js';

const random = createRandom();
let world: HiddenWorld;

beforeAll(async () => {
  world = await openHiddenWorld();
});
afterAll(() => world.close());

/** A name that exists and is hidden, one that does not exist, and what to ask with either. */
interface Pair {
  readonly method: string;
  readonly hidden: string;
  readonly absent: string;
  readonly params: (name: string) => Readonly<Record<string, unknown>>;
}

const call = (name: string) => ({ name, arguments: { text: 'x' } });
const pairs: readonly Pair[] = [
  { method: 'tools/call', hidden: 'secret_vault', absent: 'secret_vaunt', params: call },
  { method: 'tools/call', hidden: 'secret_vault', absent: 'sesame_vault', params: call },
  { method: 'tools/call', hidden: 'secret_vault', absent: 'secret_vaunt', params: (name) => ({ name }) },
  { method: 'tools/call', hidden: 'growing_t00001', absent: 'growing_t99999', params: call },
  { method: 'tools/call', hidden: 'Bash', absent: 'Bush', params: (name) => ({ name, arguments: {} }) },
  { method: 'prompts/get', hidden: 'secret_plans', absent: 'secret_plank', params: (name) => ({ name }) },
  { method: 'resources/read', hidden: 'hush://1', absent: 'hush://2', params: (uri) => ({ uri }) },
  { method: 'resources/read', hidden: 'hush://7/x', absent: 'hush://7/y', params: (uri) => ({ uri }) },
  { method: 'resources/read', hidden: 'both://1', absent: 'both://2', params: (uri) => ({ uri }) },
  completion('secret_plans', 'secret_plank', (name) => ({ type: 'ref/prompt', name })),
  completion('hush://{id}/x', 'hush://{id}/y', (uri) => ({ type: 'ref/resource', uri })),
  completion('hush://7/x', 'hush://7/y', (uri) => ({ type: 'ref/resource', uri })),
];
const subscription: Pair = {
  method: 'resources/subscribe',
  hidden: 'hush://1',
  absent: 'hush://2',
  params: (uri) => ({ uri }),
};

function completion(
  hidden: string,
  absent: string,
  ref: (name: string) => Readonly<Record<string, string>>,
): Pair {
  const argument = { name: 'a', value: 'x' };
  return { method: 'completion/complete', hidden, absent, params: (name) => ({ ref: ref(name), argument }) };
}

/** The answer without the two things that may differ. */
async function answerTo(voice: Voice, { method, params }: Pair, name: string, id: string): Promise<string> {
  const text = await voice.ask(method, params(name), id);
  const written = JSON.stringify(name).slice(1, -1);
  return text.replaceAll(written, '<name>').replaceAll(JSON.stringify(id), '<id>');
}

describe.each(clientWays)('alice, over $wire with $era protocol', ({ wire, protocol }) => {
  describe.each(hidings)('with %s', (profile) => {
    let voice: Voice;
    beforeAll(async () => {
      voice = await world.connect(wire, protocol, profile);
      await voice.ask('tools/list', {});
    });
    afterAll(() => voice.close());

    it.each([...pairs, ...(protocol === 'legacy' ? [subscription] : [])])(
      'gets the same bytes for $hidden as for $absent: $method',
      async (pair) => {
        const absent = await answerTo(voice, pair, pair.absent, 'question-1');
        const hidden = await answerTo(voice, pair, pair.hidden, 'question-2');
        expect(hidden).toBe(absent);
        // A server that alice sees may take every subscription.
        if (pair !== subscription) expect(hidden).toContain('"error":{');
        expect(pair.hidden.length).toBe(pair.absent.length);
        // Once more, now that it has been asked for: nothing is remembered that shows.
        expect(await answerTo(voice, pair, pair.hidden, 'question-3')).toBe(absent);
      },
    );

    it('gets nothing about hidden tools, neither at the start nor in any list', async () => {
      const lists = await listsOf(voice);
      const told = [voice.greeting, ...lists, ...voice.heard()].join('\n');
      expect(marks.filter((mark) => told.includes(mark))).toEqual([]);
      // Control: there is something to be told, to those who may.
      expect(told).toContain('"Read"');
      if (profile !== 'no-server') {
        for (const word of ['Open to all.', 'open_a', 'open_p', 'open://1', 'open://{id}'])
          expect(told).toContain(word);
      }
    });
  });

  it('gets no completions with hidden names for a visible prompt', async () => {
    const voice = await world.connect(wire, protocol, 'one-server');
    onTestFinished(() => voice.close());
    const argument = { name: 'a', value: '' };
    const text = await voice.ask('completion/complete', {
      ref: { type: 'ref/prompt', name: 'open_p' },
      argument,
    });
    expect(text).toContain('"values":["x"]');
    expect(marks.filter((mark) => text.includes(mark))).toEqual([]);
  });

  it('gets no notification about hidden changes, but an admin does', async () => {
    const [alice, admin] = await Promise.all([openAlice(), openAdmin()]);
    onTestFinished(async () => {
      await Promise.all([alice.client.close(), admin.client.close()]);
    });
    for (const { client } of [alice, admin]) await listen(client, protocol);
    // Each gate over stdio has servers of its own, so each client is there for its own.
    for (const name of ['growing_grow', 'secret_stir']) {
      await admin.client.request('tools/call', `"name":"${name}","arguments":{}`);
      await alice.client.request('tools/call', `"name":"${name}","arguments":{}`);
    }
    const heard = (word: string) => admin.client.heard.some((text) => text.includes(word));
    await waitFor(
      () => heard('tools/list_changed') && heard('resources/updated'),
      10_000,
      () => `the admin heard ${JSON.stringify(admin.client.heard)}`,
    );
    // What was on its way to alice would be there before this answer.
    const { text } = await alice.client.request('tools/list', '');
    expect(text).toContain('"Read"');
    expect(alice.client.heard.filter((each) => !each.includes('acknowledged'))).toEqual([]);
  });

  async function openAlice(): Promise<{ readonly client: RawClient }> {
    const flags = ['--as', 'agent:alice', '--profile', 'one-server'];
    if (wire === 'stdio') return { client: await openRawStdio(world.place, { protocol }, ...flags) };
    return { client: await openRawHttp(world.gate, await world.token('one-server'), { protocol }) };
  }

  async function openAdmin(): Promise<{ readonly client: RawClient }> {
    if (wire === 'stdio') return { client: await openRawStdio(world.place, { protocol }) };
    return { client: await openRawHttp(world.gate, tokenOf(world.place), { protocol }) };
  }
});

/** Every list, to its end. */
async function listsOf(voice: Voice): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
    texts.push(await voice.ask(method, {}));
  return texts;
}

/** Asks to be told of everything, what is hidden included. */
async function listen(client: RawClient, protocol: Protocol): Promise<void> {
  await client.request('tools/list', '');
  if (protocol === 'legacy') {
    await client.request('logging/setLevel', '"level":"debug"');
    await client.request('resources/subscribe', '"uri":"hush://1"');
    return;
  }
  const all = '"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true';
  const wanted = `"notifications":{${all},"resourceSubscriptions":["hush://1"]}`;
  client.request('subscriptions/listen', wanted, { timeoutMs: 600_000 }).catch(() => undefined);
  await waitFor(
    () => client.heard.some((text) => text.includes('acknowledged')),
    10_000,
    () => 'the subscription was not acknowledged',
  );
}

describe('a subscription with the modern protocol', () => {
  it.each(['stdio', 'http'] as const)(
    'is acknowledged the same for hidden and absent resources, over %s',
    async (wire) => {
      const acknowledged = async (uri: string): Promise<string> => {
        const client =
          wire === 'stdio'
            ? await openRawStdio(
                world.place,
                { protocol: 'modern' },
                '--as',
                'agent:alice',
                '--profile',
                'no-server',
              )
            : await openRawHttp(world.gate, await world.token('no-server'), { protocol: 'modern' });
        onTestFinished(() => client.close());
        const wanted = `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["${uri}"]}`;
        client.request('subscriptions/listen', wanted, { timeoutMs: 600_000 }).catch(() => undefined);
        await waitFor(
          () => client.heard.length > 0,
          10_000,
          () => 'nothing came',
        );
        return client.heard.join('\n').replaceAll(uri, '<name>');
      };
      const [hidden, absent] = [await acknowledged('hush://1'), await acknowledged('hush://2')];
      expect(hidden).toBe(absent);
      expect(hidden).toContain('acknowledged');
      expect(hidden).not.toContain('<name>');
    },
  );
});

describe('the identical responses', () => {
  it('control: differ for visible and absent names in the same comparison', async () => {
    const voice = await world.connect('stdio', 'legacy', 'one-server');
    onTestFinished(() => voice.close());
    for (const pair of [
      { method: 'tools/call', hidden: 'open_a', absent: 'open_b', params: call },
      { method: 'prompts/get', hidden: 'open_p', absent: 'open_q', params: (name: string) => ({ name }) },
    ]) {
      const visible = await answerTo(voice, pair, pair.hidden, 'question-1');
      expect(visible).not.toBe(await answerTo(voice, pair, pair.absent, 'question-2'));
    }
  });

  it('also apply if a token limit hides a tool, or a parent lacks it', async () => {
    const { makeToken, attenuateToken } = await import('../support/access-place.js');
    const ceiling = await makeToken(
      world.place,
      '--as',
      'agent:carol',
      '--profile',
      'full',
      '--tools',
      'Read',
    );
    const child = await attenuateToken(world.place, '--from', ceiling.id, '--as', 'agent:dora');
    for (const { secret } of [ceiling, child]) {
      for (const protocol of ['legacy', 'modern'] as const) {
        const voice = await openHttpVoice(world.gate, protocol, secret);
        onTestFinished(() => voice.close());
        for (const pair of pairs.filter(({ method }) => method === 'tools/call')) {
          const hidden = await answerTo(voice, pair, pair.hidden, 'question-1');
          expect(hidden).toBe(await answerTo(voice, pair, pair.absent, 'question-2'));
          expect(hidden).toContain('Unknown tool');
        }
      }
    }
  });
});

describe('the admin API, for a caller without admin rights', () => {
  const asAlice = async (path: string, method = 'GET', body?: string) => {
    const headers = { authorization: `Bearer ${await world.token('one-server')}` };
    const answer = await fetch(`${world.gate.base}${path}`, { method, headers, ...(body && { body }) });
    return { status: answer.status, text: await answer.text(), headers: [...answer.headers] };
  };

  it('answers the same for a hidden tool and an absent one', async () => {
    for (const [path, method, body] of [
      ['/api/tools/<name>', 'GET', undefined],
      ['/api/tools/<name>/call', 'POST', '{}'],
    ] as const) {
      for (const { hidden, absent } of pairs.filter((pair) => pair.method === 'tools/call')) {
        const answer = async (name: string) => {
          const { status, text, headers } = await asAlice(path.replace('<name>', name), method, body);
          const shown = headers.filter(([header]) => header !== 'date');
          return { status, text: text.replaceAll(name, '<name>'), shown };
        };
        const got = await answer(hidden);
        expect(got).toEqual(await answer(absent));
        expect(got.status).toBe(404);
      }
    }
  });

  it('reveals nothing hidden at any address, and allows no changes', async () => {
    const { text } = await asAlice('/api/openapi.json');
    const { paths } = JSON.parse(text) as { readonly paths: Readonly<Record<string, object>> };
    const asked: string[] = [];
    const forbidden: string[] = [];
    for (const [path, methods] of Object.entries(paths)) {
      for (const method of Object.keys(methods).map((name) => name.toUpperCase())) {
        const where = path.replace(/\{[^}]+\}/, 'agent:mallory');
        const body = method === 'GET' || method === 'DELETE' ? undefined : '{}';
        const { status, text: told } = await asAlice(where, method, body);
        asked.push(`${method} ${path}`);
        if (status === 403) forbidden.push(`${method} ${path}`);
        if (path !== '/api/openapi.json')
          expect({ path, told: marks.filter((mark) => told.includes(mark)) }).toEqual({ path, told: [] });
      }
    }
    console.log(`admin API: ${String(asked.length)} routes, ${String(forbidden.length)} forbidden to others`);
    // Whatever is not about the caller's own tools is for admins.
    const own = ['/api/openapi.json', '/api/tools', '/api/tools/{name}', '/api/tools/{name}/call'];
    expect(asked.filter((route) => !forbidden.includes(route)).map((route) => route.split(' ')[1])).toEqual(
      own,
    );
  });

  it('control: shows these names to the operator', async () => {
    const headers = { authorization: `Bearer ${tokenOf(world.place)}` };
    for (const path of ['/api/servers', '/api/tools', '/api/tools/secret_vault']) {
      const answer = await fetch(`${world.gate.base}${path}`, { headers });
      expect(await answer.text()).toContain('secret');
    }
  });
});

/** Servers that take their time, in a place where nobody has listed them yet. */
describe('while servers are still starting', () => {
  it.each([
    ['the hidden one', 'legacy'],
    ['the hidden one', 'modern'],
    ['the visible one', 'legacy'],
    ['the visible one', 'modern'],
  ] as const)(
    'with %s late, hidden and absent calls wait the same time (%s protocol)',
    async (late, protocol) => {
      const slow = { mode: 'slow', delayMs: 1200 } as const;
      const secret = pagingServer({ names: ['vault'], ...(late === 'the hidden one' && slow) });
      const open = pagingServer({ names: ['a', 'b'], ...(late === 'the visible one' && slow) });
      const place = openAccessPlace({ servers: { secret, open }, builtins: ['Read'] }, profiles);
      onTestFinished(() => place.close());
      // The second time, the gate remembers what the servers listed.
      for (const time of ['first', 'second']) {
        const { order, texts } = await askAtOnce(place, protocol);
        expect(texts.get('h1')).toBe(texts.get('a1'));
        expect(texts.get('h2')).toBe(texts.get('a2'));
        expect(texts.get('h1')).toContain('Unknown tool: <name>');
        expect(texts.get('v1')).toContain('a called');
        // Whoever is not held up overtakes: hidden and absent must come in the order in which they were asked for.
        expect(order.filter((id) => /^[ha]/.test(id))).toEqual(['h1', 'a1', 'h2', 'a2']);
        // Control: what was asked for last and is there already comes first.
        if (time === 'first') expect(order[0]).toBe('r1');
      }
    },
  );

  async function askAtOnce(
    place: Place,
    protocol: Protocol,
  ): Promise<{ readonly order: readonly string[]; readonly texts: ReadonlyMap<string, string> }> {
    const child = spawnStdioGate(place, '--as', 'agent:alice', '--profile', 'one-server');
    onTestFinished(() => endProcess(child));
    const client = openLineClient(child);
    const order: string[] = [];
    const texts = new Map<string, string>();
    const asked = [
      ['h1', 'secret_vault'],
      ['a1', 'secret_vaunt'],
      ['h2', 'secret_vault'],
      ['a2', 'sesame_vault'],
      ['v1', 'open_a'],
      ['r1', 'Read'],
    ] as const;
    const params = (name: string) => ({ ...call(name), ...(protocol === 'modern' && { _meta: envelope() }) });
    if (protocol === 'legacy') {
      const hello = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      };
      client.send(`${requestLine('"hello"', 'initialize', hello)}\n`);
      client.notify('notifications/initialized');
    }
    await Promise.all(
      asked.map(async ([id, name]) => {
        const line = `${requestLine(`"${id}"`, 'tools/call', params(name))}\n`;
        const { text } = await client.ask(`"${id}"`, line, 30_000);
        order.push(id);
        texts.set(id, text.replaceAll(name, '<name>').replaceAll(`"${id}"`, '<id>'));
      }),
    );
    await endProcess(child);
    return { order, texts };
  }
});

/** Within this, time tells nothing worth knowing. Fewer questions scatter more: 0.05 and 0.02 are four times as much. */
const indistinct = { from: 0.45, to: 0.55 };
const indistinctInFull = { from: 0.48, to: 0.52 };
const inFull = 16_000;

function judge(what: string, n: number, { answer, next, medians }: Verdict): void {
  console.log(
    `timing, ${what}: n=${String(n)}, AUC ${answer.toFixed(4)}, of the next answer ${next.toFixed(4)}; ` +
      `${medians}, seed=${String(random.seed)}`,
  );
  const { from, to } = n >= inFull ? indistinctInFull : indistinct;
  for (const auc of [answer, next]) {
    expect(auc).toBeGreaterThan(from);
    expect(auc).toBeLessThan(to);
  }
}

describe('the time of an answer, and of the next one', () => {
  const ways = [
    ['stdio', 'legacy'],
    ['http', 'modern'],
  ] as const;
  const kinds = [
    ['a tool of a hidden server', 'one-server', 'tools/call', 'secret_vault', 'secret_vaunt'],
    ['a tool that was granted to another principal', 'no-server', 'tools/call', 'Bash', 'Bush'],
    ['a tool that is blocked', 'all-but-blocked', 'tools/call', 'Bash', 'Bush'],
    ['a resource of a hidden server', 'no-server', 'resources/read', 'hush://1', 'hush://2'],
    ['a prompt of a hidden server', 'one-server', 'prompts/get', 'secret_plans', 'secret_plank'],
  ] as const;

  describe.each(ways)('over %s with %s protocol', (wire, protocol) => {
    it.each(kinds)(
      '[15.16] does not distinguish %s from an absent name',
      async (what, profile, method, hidden, absent) => {
        const voice = await world.connect(wire, protocol, profile);
        onTestFinished(() => voice.close());
        const params = (name: string) => (method === 'resources/read' ? { uri: name } : { name });
        const n = count(20_000);
        const trial = {
          next: () => random.next(),
          ask: (kind: 'hidden' | 'absent') => voice.ask(method, params(kind === 'hidden' ? hidden : absent)),
          askNext: () => voice.ask(protocol === 'legacy' ? 'ping' : 'completion/complete', nothing),
        };
        await classify({ ...trial, times: 600 });
        judge(`${what} over ${wire}`, n, await classify({ ...trial, times: n }));
      },
    );
  });

  // An address that no server lists could belong to this one, so such an address takes another way than a listed one.
  it('[15.16] does not distinguish a resource of the only server with resources from an absent one', async () => {
    const uris = ['{"uri":"hush://1","name":"hush"}'];
    const secret = await openScripted('stdio', 'legacy', {
      lists: {
        'resources/list': uris,
        'resources/templates/list': ['{"uriTemplate":"hush://{id}/x","name":"hush"}'],
      },
    });
    onTestFinished(() => secret.close());
    const servers = { secret: secret.entry, open: pagingServer({ names: ['a'] }) };
    const place = openAccessPlace({ servers, log: { level: 'error' } }, profiles);
    onTestFinished(() => place.close());
    const voice = await openStdioVoice(place, 'legacy', '--as', 'agent:alice', '--profile', 'one-server');
    onTestFinished(() => voice.close());
    for (const [what, hidden, absent] of [
      ['a listed address', 'hush://1', 'hush://2'],
      ['an address of a template', 'hush://7/x', 'hush://7/y'],
    ] as const) {
      const n = count(40_000);
      const trial = {
        next: () => random.next(),
        ask: (kind: 'hidden' | 'absent') =>
          voice.ask('resources/read', { uri: kind === 'hidden' ? hidden : absent }),
        askNext: () => voice.ask('ping', {}),
      };
      await classify({ ...trial, times: 600 });
      judge(`${what} of the only server`, n, await classify({ ...trial, times: n }));
    }
  });

  it('does not distinguish the first call of a hidden tool from that of an absent one', async () => {
    const n = count(20_000);
    const warm = 400;
    const most = 9000;
    const tools = Math.min(n / 2 + warm, most);
    const servers = { secret: pagingServer({ tools, size: 1000 }), open: pagingServer({ names: ['a'] }) };
    const place = openAccessPlace({ servers, log: { level: 'error' } }, profiles);
    onTestFinished(() => place.close());
    const voice = await openStdioVoice(place, 'legacy', '--as', 'agent:alice', '--profile', 'one-server');
    onTestFinished(() => voice.close());
    await voice.ask('tools/list', {});
    const name = (kind: string, turn: number): string =>
      `${kind === 'hidden' ? 'secret' : 'sesame'}_t${String(turn % tools).padStart(5, '0')}`;
    const trial = {
      next: () => random.next(),
      askNext: () => voice.ask('ping', {}),
    };
    const ask = (kind: string, turn: number) => voice.ask('tools/call', { name: name(kind, turn) });
    await classify({ ...trial, times: 2 * warm, ask: (kind, turn) => ask(kind, tools - warm + turn) });
    const times = Math.min(n, 2 * (most - warm));
    judge(`${String(times / 2)} different names`, times, await classify({ ...trial, times, ask }));
  });

  const nothing = { ref: { type: 'ref/prompt', name: '-' }, argument: { name: 'a', value: '' } };
});

describe('control: the same classifier', () => {
  const spin = (micros: number): void => {
    const until = performance.now() + micros / 1000;
    while (performance.now() < until);
  };
  const isHidden = (name: string): boolean => name === 'hidden';

  it('detects a path that takes 100 µs longer for hidden names', async () => {
    const slow: Observer = {
      name: 'slow',
      begin({ wanted }) {
        if (wanted.kind === 'tool' && isHidden(wanted.name)) spin(100);
        return () => undefined;
      },
    };
    const verdict = await inHall(
      accessFrom(() => ({ visible: false, callable: false })),
      [slow],
    );
    console.log(`control, slow path: AUC ${verdict.answer.toFixed(4)}; ${verdict.medians}`);
    expect(verdict.answer).toBeGreaterThan(indistinct.to);
  });

  it('detects work that is deferred until after the answer', async () => {
    const late: Observer = {
      name: 'late',
      begin:
        ({ wanted }) =>
        () => {
          if (wanted.kind === 'tool' && isHidden(wanted.name)) setImmediate(() => spin(100));
        },
    };
    const verdict = await inHall(
      accessFrom(() => ({ visible: false, callable: false })),
      [late],
    );
    console.log(`control, late work: AUC of the next answer ${verdict.next.toFixed(4)}; ${verdict.medians}`);
    expect(verdict.next).toBeGreaterThan(indistinct.to);
  });

  function inHall(
    access: Parameters<typeof openHall>[0]['access'],
    observers: readonly Observer[] = [],
  ): Promise<Verdict> {
    const done = (): Outcome => content(emptyObject);
    const providers = [createFakeProvider('one', { hidden: done })];
    const gateway = openHall({ providers, observers, ...(access && { access }) });
    const ask = async (name: string) => {
      await gateway.call(toolRequest(name), createFakeExchange());
    };
    return classify({
      times: 2000,
      next: () => random.next(),
      ask: (kind) => ask(kind),
      askNext: async () => {
        await nextTurn();
        await ask('absent');
      },
    });
  }
});
