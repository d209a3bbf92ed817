import { describe, expect, it } from 'vitest';
import { openBench } from '../../../test/support/scripted-provider.js';
import {
  legacyScript,
  type Message,
  modernScript,
  type Script,
  settle,
} from '../../../test/support/scripted-upstream.js';

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
const answering: Script = ({ id, method }, child) => {
  if (id !== undefined && method !== 'subscriptions/listen') {
    child.say({ jsonrpc: '2.0', id, result: { resources: [], resourceTemplates: [] } });
  }
};
const named = (messages: readonly Message[], ...names: string[]): unknown[] =>
  messages
    .filter(({ method }) => names.includes(method ?? ''))
    .map(({ method, params }) => [method, params?.['uri']]);
const updated = (uri: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri },
});

describe('watching resources of a legacy server', () => {
  it('subscribes once for all watchers, and unsubscribes after the last one', async () => {
    const bench = openBench(legacyScript(answering, capabilities));
    const [heard, other]: [unknown[], unknown[]] = [[], []];
    const stops = [
      await bench.provider.watch('a://1', (params) => heard.push(params.value)),
      await bench.provider.watch('a://1', (params) => other.push(params.value)),
    ];
    for (const uri of ['a://1', 'a://1/part', 'a://10', 'a://2']) bench.server.child.say(updated(uri));
    expect(heard).toEqual([{ uri: 'a://1' }, { uri: 'a://1/part' }]);
    expect(other).toEqual(heard);
    for (const stop of [...stops, ...stops]) stop();
    await settle();
    expect(named(bench.server.child.received, 'resources/subscribe', 'resources/unsubscribe')).toEqual([
      ['resources/subscribe', 'a://1'],
      ['resources/unsubscribe', 'a://1'],
    ]);
  });

  it('does not ask a server without subscriptions', async () => {
    const bench = openBench(legacyScript(answering, { tools: {}, resources: {} }));
    await bench.provider.watch('a://1', () => undefined);
    expect(named(bench.server.child.received, 'resources/subscribe')).toEqual([]);
  });
});

describe('the subscription of a modern server', () => {
  const listens = (messages: readonly Message[]): readonly Message[] =>
    messages.filter(({ method }) => method === 'subscriptions/listen');
  const acknowledge = (message: Message | undefined) => ({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': message?.id } },
  });

  it('covers what the server supports, and is renewed if more is watched', async () => {
    const bench = openBench(modernScript(answering, capabilities));
    await bench.provider.ready();
    const [first] = listens(bench.server.child.received);
    expect(first?.params?.['notifications']).toEqual({ toolsListChanged: true });
    bench.server.child.say(acknowledge(first));
    const heard: unknown[] = [];
    const watching = bench.provider.watch('a://1', (params) => heard.push(params.value));
    await settle();
    const second = listens(bench.server.child.received)[1];
    expect(second?.params?.['notifications']).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['a://1'],
    });
    expect(bench.server.child.received.some(({ method }) => method === 'notifications/cancelled')).toBe(
      false,
    );
    bench.server.child.say(acknowledge(second));
    const stop = await watching;
    await settle();
    expect(
      bench.server.child.received.find(({ method }) => method === 'notifications/cancelled')?.params?.[
        'requestId'
      ],
    ).toBe(first?.id);
    bench.server.child.say(updated('a://1'));
    expect(heard).toHaveLength(1);
    stop();
    await settle();
    expect(listens(bench.server.child.received)).toHaveLength(3);
  });

  it('is reopened if the server ends it, with growing delays', async () => {
    const bench = openBench(modernScript(answering, capabilities));
    await bench.provider.ready();
    const last = (): Message | undefined => listens(bench.server.child.received).at(-1);
    bench.server.child.say({ jsonrpc: '2.0', id: last()?.id, result: { resultType: 'complete' } });
    await bench.clock.advance(1000);
    expect(listens(bench.server.child.received)).toHaveLength(2);
    bench.server.child.say({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: last()?.id },
    });
    await bench.clock.advance(1999);
    expect(listens(bench.server.child.received)).toHaveLength(2);
    await bench.clock.advance(1);
    expect(listens(bench.server.child.received)).toHaveLength(3);
  });

  it('is not requested again if the server does not know it', async () => {
    const script: Script = (message, child) => {
      if (message.method !== 'subscriptions/listen') return answering(message, child);
      child.say({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no' } });
    };
    const bench = openBench(modernScript(script, capabilities));
    await bench.provider.ready();
    await bench.clock.advance(600_000);
    expect(listens(bench.server.child.received)).toHaveLength(1);
  });

  it('does not keep an idle server alive', async () => {
    const bench = openBench(modernScript(answering, capabilities), { idleMs: 1000 });
    await bench.provider.ready();
    await bench.clock.advance(5000);
    expect(bench.provider.status().state).toBe('idle');
  });
});
