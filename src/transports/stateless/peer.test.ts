import { describe, expect, it, vi } from 'vitest';
import { openHall, promptSpec, resourceSpec } from '../../../test/support/gateway.js';
import { modernParams, openModernUnderTest, type PeerUnderTest } from '../../../test/support/peers.js';
import { content, createFault, type Exchange, type Outcome, type Provider } from '../../core/index.js';
import { JsonText } from '../../lib/json-text.js';
import { createFakeProvider, type FakeHandler, type FakeProvider } from '../../testing/index.js';
import { metaKeys } from './codec.js';
import type { ModernPeer } from './peer.js';

const done = (): Outcome => content(JsonText.from({ content: [{ type: 'text', text: 'done' }] }));

function open(
  handlers: Readonly<Record<string, FakeHandler>> = { echo: done },
  more: Parameters<typeof createFakeProvider>[2] = {},
): PeerUnderTest<ModernPeer> & { readonly provider: FakeProvider } {
  const provider = createFakeProvider('one', handlers, more);
  return { ...openModernUnderTest(openHall({ providers: [provider] })), provider };
}

const call = (id: unknown, params: Readonly<Record<string, unknown>> = {}, capabilities = {}, meta = {}) => ({
  id,
  method: 'tools/call',
  params: modernParams({ name: 'echo', arguments: {}, ...params }, capabilities, meta),
});

const stamped = { resultType: 'complete', _meta: { [metaKeys.serverInfo]: { name: 'tidegate' } } };

describe('the requests of a stateless client', () => {
  it('are answered without a handshake', async () => {
    const client = open(
      { echo: done },
      { prompts: [promptSpec('one', 'p')], resources: [resourceSpec('one', 'x://1')] },
    );
    const ask = (id: number, method: string, params = {}) =>
      client.ask({ id, method, params: modernParams(params) });
    expect(await ask(1, 'server/discover')).toMatchObject({
      result: { ...stamped, supportedVersions: ['2026-07-28'], ttlMs: 1000, cacheScope: 'private' },
    });
    expect(await ask(2, 'tools/list')).toMatchObject({
      result: { ...stamped, tools: [{ name: 'echo' }], cacheScope: 'private' },
    });
    expect(await ask(3, 'tools/call', { name: 'echo' })).toMatchObject({
      result: { ...stamped, content: [{ text: 'done' }] },
    });
    expect(await ask(4, 'resources/read', { uri: 'x://1' })).toMatchObject({
      result: { ...stamped, ttlMs: 0, cacheScope: 'private' },
    });
    expect(await ask(5, 'prompts/get', { name: 'p' })).toMatchObject({ result: stamped });
    const ref = { type: 'ref/prompt', name: 'p' };
    expect(await ask(6, 'completion/complete', { ref })).toMatchObject({ result: stamped });
    expect(client.provider.calls[0]?.client).toMatchObject({
      protocol: 'modern',
      protocolVersion: '2026-07-28',
    });
  });

  it('must name their sender', async () => {
    const client = open();
    const line = client.send({ id: 1, method: 'tools/list', params: {} });
    await line.over;
    expect(line.ended).toMatchObject([{ status: 400, message: { id: 1, error: { code: -32602 } } }]);
  });

  it('with an unsupported version get the supported ones', async () => {
    const client = open();
    const params = modernParams({}, {}, { [metaKeys.protocolVersion]: '2031-01-01' });
    const line = client.send({ id: 1, method: 'tools/list', params });
    await line.over;
    expect(line.ended).toMatchObject([
      {
        status: 400,
        message: { error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2031-01-01' } } },
      },
    ]);
  });

  it.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'nonsense',
    'constructor',
    '__proto__',
  ])('for %s, which 2026-07-28 does not have, are not found', async (method) => {
    const line = open().send({ id: 1, method, params: modernParams() });
    await line.over;
    expect(line.ended).toMatchObject([{ status: 404, message: { error: { code: -32601 } } }]);
  });

  it('with an id in use are refused', async () => {
    let release: (outcome: Outcome) => void = () => {};
    const client = open({
      echo: () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    });
    const first = client.send(call(1));
    await vi.waitFor(() => expect(client.provider.calls).toHaveLength(1));
    for (const method of ['tools/call', 'tools/list', 'server/discover', 'subscriptions/listen']) {
      const line = client.send({ id: 1, method, params: modernParams({ name: 'echo' }) });
      await line.over;
      expect(line.ended).toMatchObject([{ status: 400, message: { error: { code: -32600 } } }]);
    }
    release(done());
    await first.over;
    expect(first.ended).toHaveLength(1);
  });

  it('can be cancelled', async () => {
    const exchanges: Exchange[] = [];
    const client = open({
      echo: (_call, exchange) => {
        exchanges.push(exchange);
        return new Promise(() => {});
      },
    });
    const line = client.send(call('a'));
    await vi.waitFor(() => expect(exchanges).toHaveLength(1));
    client.send({ method: 'notifications/cancelled', params: modernParams({ requestId: 'b' }) });
    expect(exchanges[0]?.signal.aborted).toBe(false);
    client.send({ method: 'notifications/cancelled', params: modernParams({ requestId: 'a' }) });
    await line.over;
    expect(line.ended).toEqual([]);
    expect(exchanges[0]?.signal.aborted).toBe(true);
  });

  it('get only the log messages they asked for, each request by its own level', async () => {
    const client = open({
      echo: (_call, exchange) => {
        exchange.log('error', JsonText.from({ level: 'error', data: 1 }));
        return done();
      },
    });
    const silent = client.send(call(1));
    const loud = client.send(call(2, {}, {}, { [metaKeys.logLevel]: 'error' }));
    await Promise.all([silent.over, loud.over]);
    expect(silent.sent).toEqual([]);
    expect(loud.sent).toMatchObject([{ method: 'notifications/message', params: { level: 'error' } }]);
  });

  it('with faults are answered as results or errors, as the table says', async () => {
    const client = open({
      echo: () => ({ kind: 'fault', fault: createFault('call.timeout', 'Too slow.') }),
    });
    expect(await client.ask(call(1))).toMatchObject({ result: { ...stamped, isError: true } });
    expect(await client.ask(call(2, { name: 'absent' }))).toEqual({
      jsonrpc: '2.0',
      id: 2,
      error: { code: -32602, message: 'Unknown tool: absent' },
    });
  });
});

describe('a stateless client that is asked for input', () => {
  const asking: FakeHandler = async (_call, exchange) => {
    const answer = await exchange.ask({
      method: 'elicitation/create',
      params: JsonText.from({ message: 'Who?' }),
    });
    return content(JsonText.from({ content: [], kind: answer.kind }));
  };

  it('gets the question as its result and returns with the answer under a new id', async () => {
    const client = open({ echo: asking });
    const first = (await client.ask(call(1, {}, { elicitation: {} }))) as {
      result: { inputRequests: Record<string, unknown>; requestState: string };
    };
    expect(first.result).toMatchObject({ resultType: 'input_required', _meta: stamped._meta });
    const [key] = Object.keys(first.result.inputRequests);
    const back = {
      inputResponses: { [key ?? '']: { action: 'accept', content: {} } },
      requestState: first.result.requestState,
    };
    expect(await client.ask(call(2, back, { elicitation: {} }))).toMatchObject({
      id: 2,
      result: { ...stamped, kind: 'answer' },
    });
    expect(await client.ask(call(3, back, { elicitation: {} }))).toMatchObject({
      error: { code: -32602, data: { code: 'ask.expired' } },
    });
  });

  it('is refused with a modified state', async () => {
    const client = open({ echo: asking });
    const first = (await client.ask(call(1, {}, { elicitation: {} }))) as {
      result: { requestState: string };
    };
    const back = { inputResponses: {}, requestState: `${first.result.requestState}-TAMPERED` };
    expect(await client.ask(call(2, back, { elicitation: {} }))).toMatchObject({
      error: { code: -32602, data: { code: 'ask.forged' } },
    });
  });

  it('is not asked for input that it does not support', async () => {
    const client = open({ echo: asking });
    expect(await client.ask(call(1))).toMatchObject({ result: { ...stamped, kind: 'refused' } });
  });

  it('gets no messages from a suspended call', async () => {
    const exchanges: Exchange[] = [];
    const client = open({
      echo: (admitted, exchange) => {
        exchanges.push(exchange);
        return asking(admitted, exchange);
      },
    });
    const line = client.send(call(1, {}, { elicitation: {} }, { progressToken: 'p' }));
    await line.over;
    exchanges[0]?.progress(JsonText.from({ progress: 1 }));
    expect(line.sent).toEqual([]);
  });
});

describe('a stateless client that listens', () => {
  const listen = (id: unknown, notifications: unknown) => ({
    id,
    method: 'subscriptions/listen',
    params: modernParams({ notifications }),
  });
  const tag = (id: unknown) => ({ [metaKeys.subscriptionId]: id });

  it('first gets an acknowledgement, and then only those messages', async () => {
    const client = open();
    const line = client.send(listen('s', { toolsListChanged: true, promptsListChanged: false, odd: true }));
    await vi.waitFor(() => expect(line.sent).toHaveLength(1));
    client.provider.offer({ other: done });
    expect(line.sent).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta: tag('s'), notifications: { toolsListChanged: true } },
      },
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: tag('s') } },
    ]);
    const deaf = client.send(listen(2, {}));
    await vi.waitFor(() => expect(deaf.sent).toHaveLength(1));
    client.provider.offer({ third: done });
    expect(deaf.sent).toHaveLength(1);
  });

  it.each([undefined, null, [], 'all', 5])(
    'to %j gets nothing, and an acknowledgement that says so',
    async (notifications) => {
      const line = open().send(listen(1, notifications));
      await vi.waitFor(() => expect(line.sent).toHaveLength(1));
      expect(line.sent).toMatchObject([{ params: { notifications: {} } }]);
    },
  );

  it('ends without an answer when it cancels', async () => {
    const client = open();
    const line = client.send(listen(1, { toolsListChanged: true }));
    await vi.waitFor(() => expect(line.sent).toHaveLength(1));
    client.send({ method: 'notifications/cancelled', params: modernParams({ requestId: 1 }) });
    client.provider.offer({ other: done });
    expect({ sent: line.sent.length, ended: line.ended, drops: line.drops() }).toEqual({
      sent: 1,
      ended: [],
      drops: 1,
    });
    await vi.waitFor(() => expect(client.inFlight.size).toBe(0));
  });

  it('gets its answer first when the gateway closes', () => {
    const client = open();
    const line = client.send(listen(1, { toolsListChanged: true }));
    client.peer.close();
    client.inFlight.cancelAll();
    expect(line.ended).toMatchObject([
      { message: { id: 1, result: { resultType: 'complete', _meta: tag(1) } } },
    ]);
    expect(line.drops()).toBe(0);
  });

  it('is limited in number', async () => {
    const client = open();
    for (let id = 0; id < 64; id += 1) client.send(listen(id, {}));
    expect(await client.ask(listen('one more', {}))).toMatchObject({
      error: { data: { code: 'call.too_many' } },
    });
    client.peer.close();
  });

  interface Watching {
    readonly provider: Provider;
    readonly listeners: Map<string, (params: JsonText) => void>;
    gate: Promise<void>;
  }

  function watching(): Watching {
    const listeners = new Map<string, (params: JsonText) => void>();
    const state: Watching = {
      listeners,
      gate: Promise.resolve(),
      provider: {
        ...createFakeProvider(
          'one',
          {},
          { resources: [resourceSpec('one', 'x://1'), resourceSpec('one', 'x://2')] },
        ),
        async watch(uri, listener) {
          await state.gate;
          listeners.set(uri, listener);
          return () => listeners.delete(uri);
        },
      },
    };
    return state;
  }

  it('to resources gets the updates of those that exist', async () => {
    const { provider, listeners } = watching();
    const client = openModernUnderTest(openHall({ providers: [provider] }));
    const line = client.send(listen('r', { resourceSubscriptions: ['x://1', 'x://9', 5, 'x://1'] }));
    await vi.waitFor(() => expect(line.sent).toHaveLength(1));
    expect(line.sent).toMatchObject([{ params: { notifications: { resourceSubscriptions: ['x://1'] } } }]);
    listeners.get('x://1')?.(JsonText.from({ uri: 'x://1' }));
    expect(line.sent[1]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'x://1', _meta: tag('r') },
    });
    client.peer.close();
    expect(listeners.size).toBe(0);
  });

  it('gets changes during setup after the acknowledgement', async () => {
    const state = watching();
    const client = openModernUnderTest(openHall({ providers: [state.provider] }));
    let go: () => void = () => {};
    const line = client.send(listen('r', { resourceSubscriptions: ['x://1', 'x://2'] }));
    await vi.waitFor(() => expect(state.listeners.size).toBeGreaterThan(0));
    state.gate = new Promise((resolve) => {
      go = resolve;
    });
    state.listeners.get('x://1')?.(JsonText.from({ uri: 'x://1' }));
    go();
    await vi.waitFor(() => expect(line.sent).toHaveLength(2));
    expect(line.sent.map((message) => (message as { method: string }).method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/resources/updated',
    ]);
  });

  it.each(['cancel', 'close'] as const)('leaves no watch behind after a %s during setup', async (how) => {
    const state = watching();
    let go: () => void = () => {};
    state.gate = new Promise((resolve) => {
      go = resolve;
    });
    const client = openModernUnderTest(openHall({ providers: [state.provider] }));
    const line = client.send(
      listen('r', { resourceSubscriptions: ['x://1', 'x://2'], toolsListChanged: true }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    if (how === 'cancel')
      client.send({ method: 'notifications/cancelled', params: modernParams({ requestId: 'r' }) });
    else client.peer.close();
    go();
    await new Promise((resolve) => setImmediate(resolve));
    expect(state.listeners.size).toBe(0);
    expect(line.sent).toEqual([]);
    expect(client.inFlight.size).toBe(0);
  });

  it('gets an error when a watch fails, and its id is free again', async () => {
    const provider: Provider = {
      ...createFakeProvider('one', {}, { resources: [resourceSpec('one', 'x://1')] }),
      watch: () => Promise.reject(new Error('no')),
    };
    const client = openModernUnderTest(openHall({ providers: [provider] }));
    expect(await client.ask(listen('r', { resourceSubscriptions: ['x://1'] }))).toMatchObject({
      error: { code: -32603 },
    });
    await vi.waitFor(() => expect(client.inFlight.size).toBe(0));
  });
});
