import { describe, expect, it, vi } from 'vitest';
import { accessFrom, openHall, promptSpec, resourceSpec } from '../../../test/support/gateway.js';
import { openLegacyUnderTest, type PeerUnderTest } from '../../../test/support/peers.js';
import { createKeptLine } from '../../../test/support/reply-line.js';
import type { Gateway } from '../../gateway/index.js';
import { type Answer, content, type Exchange, type Outcome, type Provider } from '../../core/index.js';
import { emptyObject, JsonText } from '../../lib/json-text.js';
import { createFakeProvider, type FakeHandler, type FakeProvider } from '../../testing/index.js';
import type { LegacyPeer } from './peer.js';

const done = (): Outcome => content(JsonText.from({ content: [{ type: 'text', text: 'done' }] }));
const hello = {
  id: 'hello',
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {}, roots: {} },
    clientInfo: { name: 'c' },
  },
};

/** A client after the handshake. */
async function open(
  handlers: Readonly<Record<string, FakeHandler>> = { echo: done },
  more: Parameters<typeof createFakeProvider>[2] = {},
): Promise<PeerUnderTest<LegacyPeer> & { readonly provider: FakeProvider; readonly gateway: Gateway }> {
  const provider = createFakeProvider('one', handlers, more);
  const gateway = openHall({ providers: [provider] });
  const client = openLegacyUnderTest(gateway);
  await client.ask(hello);
  return { ...client, provider, gateway };
}

const call = (id: unknown, name = 'echo'): Readonly<Record<string, unknown>> => ({
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});

/** A tool that runs until the test ends it. */
function held(): { readonly handler: FakeHandler; readonly exchanges: Exchange[]; release(): void } {
  const releases: ((outcome: Outcome) => void)[] = [];
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    handler: (_call, exchange) => {
      exchanges.push(exchange);
      return new Promise((resolve) => releases.push(resolve));
    },
    release: () => releases.forEach((resolve) => resolve(done())),
  };
}

describe('the handshake of a stateful client', () => {
  it('comes first: everything but ping is refused before it', async () => {
    const client = openLegacyUnderTest(openHall({ providers: [] }));
    expect(await client.ask({ id: 1, method: 'ping' })).toMatchObject({ id: 1, result: {} });
    for (const method of [
      'tools/list',
      'tools/call',
      'resources/subscribe',
      'logging/setLevel',
      'nonsense',
    ]) {
      expect(await client.ask({ id: 2, method, params: {} })).toMatchObject({
        id: 2,
        error: { code: -32600 },
      });
    }
    expect(await client.ask(hello)).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
    expect(await client.ask({ id: 3, method: 'tools/list' })).toMatchObject({ result: { tools: [] } });
  });

  it('comes once', async () => {
    const client = await open();
    expect(await client.ask(hello)).toMatchObject({
      error: { code: -32600, message: 'Already initialized' },
    });
  });

  it('may be repeated after a malformed one', async () => {
    const client = openLegacyUnderTest(openHall({ providers: [] }));
    const wrong = { id: 1, method: 'initialize', params: {} };
    expect(await client.ask(wrong)).toMatchObject({ error: { code: -32602 } });
    expect(await client.ask(hello)).toHaveProperty('result');
  });
});

describe('the requests of a stateful client', () => {
  it('are lists, calls, prompts, resources and completions', async () => {
    const client = await open(
      { echo: done },
      { prompts: [promptSpec('one', 'p')], resources: [resourceSpec('one', 'x://1')] },
    );
    expect(await client.ask({ id: 1, method: 'tools/list' })).toMatchObject({
      result: { tools: [{ name: 'echo' }] },
    });
    expect(await client.ask({ id: 2, method: 'prompts/list', params: {} })).toMatchObject({
      result: { prompts: [{ name: 'p' }] },
    });
    expect(await client.ask({ id: 3, method: 'resources/list' })).toMatchObject({
      result: { resources: [{ uri: 'x://1' }] },
    });
    expect(await client.ask({ id: 4, method: 'resources/templates/list' })).toMatchObject({
      result: { resourceTemplates: [] },
    });
    expect(await client.ask(call(5))).toMatchObject({ id: 5, result: { content: [{ text: 'done' }] } });
    expect(await client.ask({ id: 6, method: 'prompts/get', params: { name: 'p' } })).toHaveProperty(
      'result',
    );
    expect(await client.ask({ id: 7, method: 'resources/read', params: { uri: 'x://1' } })).toHaveProperty(
      'result',
    );
    const ref = { type: 'ref/prompt', name: 'p' };
    expect(await client.ask({ id: 8, method: 'completion/complete', params: { ref } })).toHaveProperty(
      'result',
    );
    expect(client.provider.calls.map(({ target }) => target.kind)).toEqual([
      'tool',
      'prompt',
      'resource',
      'completion',
    ]);
    expect(client.provider.calls[0]?.client).toMatchObject({
      protocol: 'legacy',
      protocolVersion: '2025-06-18',
    });
  });

  it.each(['nonsense', 'tools/List', 'constructor', '__proto__', 'toString', '', 'server/discover'])(
    'of an unknown method are refused: %j',
    async (method) => {
      const client = await open();
      expect(await client.ask({ id: 1, method, params: {} })).toMatchObject({
        id: 1,
        error: { code: -32601 },
      });
    },
  );

  it.each([5, null, {}, 'nonsense'])('with the cursor %j are refused', async (cursor) => {
    const client = await open();
    expect(await client.ask({ id: 1, method: 'tools/list', params: { cursor } })).toMatchObject({
      error: { code: -32602, data: { code: 'cursor.invalid' } },
    });
  });

  it('fail individually when the gateway fails', async () => {
    const gateway = openHall({
      providers: [createFakeProvider('one', { echo: done })],
      access: accessFrom(() => {
        throw new Error('store down');
      }),
    });
    const client = openLegacyUnderTest(gateway);
    await client.ask(hello).catch(() => {});
    expect(await client.ask({ id: 2, method: 'tools/list' })).toMatchObject({
      id: 2,
      error: { code: -32603 },
    });
    expect(client.inFlight.size).toBe(0);
  });

  it('with an id in use are refused, and the first is answered', async () => {
    const tool = held();
    const client = await open({ echo: tool.handler });
    const first = client.send(call('x'));
    for (const message of [call('x'), { id: 'x', method: 'ping' }, { id: 'x', method: 'tools/list' }]) {
      expect(await client.ask(message)).toMatchObject({ id: 'x', error: { code: -32600 } });
    }
    await vi.waitFor(() => expect(tool.exchanges).toHaveLength(1));
    tool.release();
    await first.over;
    expect(first.ended).toHaveLength(1);
    expect(client.provider.calls).toHaveLength(1);
    await vi.waitFor(() => expect(client.inFlight.size).toBe(0));
    expect(await client.ask({ id: 'x', method: 'ping' })).toHaveProperty('result');
  });

  it('with an id in use are refused also while the first waits for the first lists', async () => {
    const provider = { ...createFakeProvider('one', {}), ready: () => new Promise<void>(() => {}) };
    const client = openLegacyUnderTest(openHall({ providers: [provider] }));
    const first = client.send(hello);
    expect(await client.ask({ id: 'hello', method: 'ping' })).toMatchObject({ error: { code: -32600 } });
    await first.over;
    expect(first.ended[0]?.message).toHaveProperty('result');
  });

  it('are limited in number', async () => {
    const tool = held();
    const client = await open({ echo: tool.handler });
    for (let id = 0; id < 128 + 4096; id += 1) client.send(call(id));
    expect(client.inFlight.size).toBe(4224);
    expect(await client.ask({ id: 'one more', method: 'tools/list' })).toMatchObject({
      error: { code: -32603, data: { code: 'call.too_many' } },
    });
    await vi.waitFor(() => expect(client.provider.calls).toHaveLength(128));
    client.inFlight.cancelAll();
  });
});

describe('a stateful client that cancels', () => {
  it('gets no answer, and the target is cancelled', async () => {
    const tool = held();
    const client = await open({ echo: tool.handler });
    const line = client.send(call(7));
    await vi.waitFor(() => expect(tool.exchanges).toHaveLength(1));
    client.send({ method: 'notifications/cancelled', params: { requestId: 7 } });
    await line.over;
    expect(tool.exchanges[0]?.signal.aborted).toBe(true);
    expect(line.ended).toEqual([]);
    await vi.waitFor(() => expect(client.inFlight.size).toBe(0));
  });

  it.each([7, '7', 'x', null, undefined, { a: 1 }, 1.5])(
    'an id that is not in flight cancels nothing: %j',
    async (requestId) => {
      const tool = held();
      const client = await open({ echo: tool.handler, quick: done });
      await client.ask(call(7, 'quick'));
      const line = client.send(call(8));
      await vi.waitFor(() => expect(tool.exchanges).toHaveLength(1));
      client.send({ method: 'notifications/cancelled', params: { requestId } });
      expect(tool.exchanges[0]?.signal.aborted).toBe(false);
      tool.release();
      await line.over;
      expect(line.ended).toHaveLength(1);
    },
  );

  it('is handled before calls that wait in the queue', async () => {
    const tool = held();
    const client = await open({ echo: tool.handler });
    for (let id = 0; id < 128; id += 1) client.send(call(id));
    const waiting = client.send(call('waiting'));
    client.send({ method: 'notifications/cancelled', params: { requestId: 'waiting' } });
    await waiting.over;
    expect(waiting.ended).toEqual([]);
    expect(client.provider.calls.some(({ requestId }) => requestId === 'waiting')).toBe(false);
    client.inFlight.cancelAll();
  });
});

describe('a stateful client that is asked for input', () => {
  const question = {
    method: 'elicitation/create',
    params: new JsonText('{"n":12345678901234567890}'),
  } as const;
  function asking(answers: Answer[]): FakeHandler {
    return async (_call, exchange) => {
      answers.push(await exchange.ask(question));
      return done();
    };
  }

  it('gets the question on the line of its request, and its answer goes to the target', async () => {
    const answers: Answer[] = [];
    const client = await open({ echo: asking(answers) });
    const line = client.send(call(1));
    await vi.waitFor(() => expect(line.sent).toHaveLength(1));
    expect(line.sent[0]).toMatchObject({ id: 1, method: 'elicitation/create' });
    client.send('{"jsonrpc":"2.0","id":1,"result":{ "action":"accept","n":12345678901234567890 }}');
    await line.over;
    expect(answers[0]?.kind === 'answer' && answers[0].result.text).toBe(
      '{ "action":"accept","n":12345678901234567890 }',
    );
  });

  it('may refuse with an error', async () => {
    const answers: Answer[] = [];
    const client = await open({ echo: asking(answers) });
    const line = client.send(call(1));
    await vi.waitFor(() => expect(line.sent).toHaveLength(1));
    client.send({ id: 1, error: { code: -1, message: 'no' } });
    await line.over;
    expect(answers).toMatchObject([{ kind: 'refused' }]);
  });

  it('cannot answer a question that was not asked, or twice', async () => {
    const answers: Answer[] = [];
    const client = await open({ echo: asking(answers) });
    const line = client.send(call(1));
    await vi.waitFor(() => expect(line.sent).toHaveLength(1));
    for (const id of [2, '1', 'x', -1]) client.send({ id, result: { action: 'accept' } });
    client.send({ id: null, error: { code: 1 } });
    expect(answers).toEqual([]);
    client.send({ id: 1, result: { action: 'decline' } });
    client.send({ id: 1, result: { action: 'accept' } });
    await line.over;
    expect(answers[0]?.kind === 'answer' && answers[0].result.value).toEqual({ action: 'decline' });
  });

  it('is not waited for when it cancels or leaves', async () => {
    const answers: Answer[] = [];
    const client = await open({ echo: asking(answers) });
    const line = client.send(call(1));
    await vi.waitFor(() => expect(line.sent).toHaveLength(1));
    client.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await vi.waitFor(() => expect(answers).toMatchObject([{ kind: 'refused' }]));
    const next = client.send(call(2));
    await vi.waitFor(() => expect(next.sent).toHaveLength(1));
    client.peer.close();
    await vi.waitFor(() => expect(answers).toHaveLength(2));
  });

  it('is not waited for when no stream can carry the question', async () => {
    const answers: Answer[] = [];
    const client = await open({ echo: asking(answers) });
    const line = client.send(call(1), createKeptLine(false));
    await line.over;
    expect(answers).toMatchObject([{ kind: 'refused' }]);
  });

  it('has a limited number of open questions', async () => {
    const kinds: string[] = [];
    const client = await open({
      echo: async (_call, exchange) => {
        const all = Array.from({ length: 257 }, () =>
          exchange.ask(question).then(({ kind }) => void kinds.push(kind)),
        );
        await Promise.race(all);
        return done();
      },
    });
    const line = client.send(call(1));
    await line.over;
    expect(line.sent).toHaveLength(256);
    expect(kinds).toEqual(['refused']);
    client.peer.close();
  });
});

describe('the messages to a stateful client besides answers', () => {
  it('are progress and logs on the line of its request, if it wants them', async () => {
    const client = await open({
      echo: (_call, exchange) => {
        exchange.progress(JsonText.from({ progress: 1 }));
        exchange.log('info', JsonText.from({ level: 'info', data: 1 }));
        exchange.log('error', JsonText.from({ level: 'error', data: 2 }));
        return done();
      },
    });
    const silent = client.send(call(1));
    await silent.over;
    expect(silent.sent).toEqual([]);
    expect(
      await client.ask({ id: 2, method: 'logging/setLevel', params: { level: 'warning' } }),
    ).toHaveProperty('result');
    const params = { name: 'echo', _meta: { progressToken: 'p' } };
    const line = client.send({ id: 3, method: 'tools/call', params });
    await line.over;
    expect(line.sent).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } },
      { method: 'notifications/message', params: { level: 'error' } },
    ]);
  });

  it('end with the answer', async () => {
    const tool = held();
    const client = await open({ echo: tool.handler });
    const line = client.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', _meta: { progressToken: 1 } },
    });
    await vi.waitFor(() => expect(tool.exchanges).toHaveLength(1));
    tool.release();
    await line.over;
    tool.exchanges[0]?.progress(emptyObject);
    expect(line.sent).toEqual([]);
  });

  it.each(['loud', '', null, 5, undefined])('reject %j as a log level', async (level) => {
    const client = await open();
    expect(await client.ask({ id: 1, method: 'logging/setLevel', params: { level } })).toMatchObject({
      error: { code: -32602 },
    });
  });

  it('are list changes, after its handshake and until it leaves', async () => {
    const provider = createFakeProvider('one', { a: done });
    const client = openLegacyUnderTest(openHall({ providers: [provider] }));
    provider.offer({ b: done });
    await client.ask(hello);
    provider.offer({ c: done });
    client.peer.close();
    provider.offer({ d: done });
    expect(client.pushed).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
  });
});

describe('the subscriptions of a stateful client', () => {
  function watched(): {
    readonly provider: Provider;
    readonly open: Map<string, (params: JsonText) => void>;
    gate?: Promise<void>;
  } {
    const listeners = new Map<string, (params: JsonText) => void>();
    const it: { provider: Provider; open: typeof listeners; gate?: Promise<void> } = {
      open: listeners,
      provider: {
        ...createFakeProvider(
          'one',
          {},
          { resources: [resourceSpec('one', 'x://1'), resourceSpec('one', 'x://2')] },
        ),
        async watch(uri, listener) {
          await it.gate;
          const key = `${uri}#${String(listeners.size)}`;
          listeners.set(key, listener);
          return () => listeners.delete(key);
        },
      },
    };
    return it;
  }

  async function shaken(provider: Provider): Promise<PeerUnderTest<LegacyPeer>> {
    const client = openLegacyUnderTest(openHall({ providers: [provider] }));
    await client.ask(hello);
    return client;
  }

  const subscribe = (id: unknown, uri: unknown) => ({ id, method: 'resources/subscribe', params: { uri } });

  it('send updates until they end', async () => {
    const { provider, open: listeners } = watched();
    const client = await shaken(provider);
    expect(await client.ask(subscribe(1, 'x://1'))).toMatchObject({ result: {} });
    [...listeners.values()][0]?.(JsonText.from({ uri: 'x://1' }));
    expect(client.pushed).toEqual([
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'x://1' } },
    ]);
    await client.ask({ id: 2, method: 'resources/unsubscribe', params: { uri: 'x://1' } });
    expect(listeners.size).toBe(0);
    expect(
      await client.ask({ id: 3, method: 'resources/unsubscribe', params: { uri: 'x://9' } }),
    ).toHaveProperty('result');
  });

  it('to the same address twice are one', async () => {
    const { provider, open: listeners } = watched();
    const client = await shaken(provider);
    await client.ask(subscribe(1, 'x://1'));
    await client.ask(subscribe(2, 'x://1'));
    expect(listeners.size).toBe(1);
  });

  it('to a missing or invalid address are refused', async () => {
    const client = await shaken(watched().provider);
    expect(await client.ask(subscribe(1, 'x://9'))).toMatchObject({
      error: { code: -32002, data: { uri: 'x://9' } },
    });
    expect(await client.ask(subscribe(2, 5))).toMatchObject({ error: { code: -32602 } });
  });

  it('end when the client leaves, even during setup', async () => {
    const it = watched();
    const client = await shaken(it.provider);
    await client.ask(subscribe(1, 'x://1'));
    let go: () => void = () => {};
    it.gate = new Promise((resolve) => {
      go = resolve;
    });
    const late = client.send(subscribe(2, 'x://2'));
    await new Promise((resolve) => setImmediate(resolve));
    client.peer.close();
    expect(it.open.size).toBe(0);
    go();
    await late.over;
    expect(it.open.size).toBe(0);
  });

  it('are limited in number, even when requested all at once', async () => {
    const listeners = new Set<string>();
    const provider: Provider = {
      ...createFakeProvider('one', {}),
      mayHave: () => true,
      watch: (uri) => {
        listeners.add(uri);
        return Promise.resolve(() => listeners.delete(uri));
      },
    };
    const client = await shaken(provider);
    const lines = Array.from({ length: 1100 }, (_, id) => client.send(subscribe(id, `x://${id}`)));
    await Promise.all(lines.map(({ over }) => over));
    expect(listeners.size).toBe(1000);
    expect(lines.filter(({ ended }) => 'error' in (ended[0]?.message as object))).toHaveLength(100);
  });
});
