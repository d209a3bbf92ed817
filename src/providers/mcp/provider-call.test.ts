import { describe, expect, it } from 'vitest';
import { faultOf, openBench } from '../../../test/support/scripted-provider.js';
import {
  legacyScript,
  type Message,
  modernScript,
  type Script,
  settle,
} from '../../../test/support/scripted-upstream.js';
import { JsonText } from '../../lib/json-text.js';

const logging = { tools: {}, logging: {} };
const callsOf = (messages: readonly Message[]): readonly Message[] =>
  messages.filter(({ method }) => method === 'tools/call');
const cancelsOf = (messages: readonly Message[]): unknown[] =>
  messages
    .filter(({ method }) => method === 'notifications/cancelled')
    .map(({ params }) => params?.['requestId']);

describe('a call to a server', () => {
  it('returns the exact text of the result', async () => {
    const result = '{ "content":[ ], "big":12345678901234567890, "u":"\\u00e9", "odd":{"x":1.0} }';
    const bench = openBench(
      legacyScript(({ id }, child) =>
        child.sayRaw(`{"result":${result},"jsonrpc":"2.0","id":${String(id)}}\n`),
      ),
    );
    const outcome = await bench.call().outcome;
    expect(outcome.kind === 'content' && outcome.result.text).toBe(result);
  });

  it('returns the exact text of an error', async () => {
    const error = '{"code":-32602,"message":"Unknown tool: x","data":{"n":12345678901234567890}}';
    const bench = openBench(
      legacyScript(({ id }, child) =>
        child.sayRaw(`{"jsonrpc":"2.0","id":${String(id)},"error":${error}}\n`),
      ),
    );
    const outcome = await bench.call().outcome;
    expect(outcome).toMatchObject({
      kind: 'fault',
      fault: { code: 'upstream.error', message: 'Unknown tool: x' },
    });
    expect(outcome.kind === 'fault' && outcome.fault.upstream?.text).toBe(error);
  });

  it('is sent with the server’s own name and without fields of another protocol version', async () => {
    const bench = openBench(legacyScript());
    await bench.provider.ready();
    const meta =
      '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":1,"a/b":2}';
    bench.call({
      params: `{"name":"s_echo","arguments":{"x":1},"_meta":${meta},"requestState":"x"}`,
      trace: { traceparent: '00-a-b-01' },
    });
    await settle();
    expect(callsOf(bench.server.child.received)[0]?.params).toEqual({
      name: 'echo',
      arguments: { x: 1 },
      _meta: { 'a/b': 2, traceparent: '00-a-b-01' },
    });
  });

  it('is refused if it has a duplicate member', async () => {
    const bench = openBench(legacyScript());
    await bench.provider.ready();
    expect(faultOf(await bench.call({ params: '{"name":"s_a","name":"s_echo"}' }).outcome)).toBe(
      'input.invalid',
    );
    expect(callsOf(bench.server.child.received)).toHaveLength(0);
  });

  it('fails if the server answers it with garbage, without affecting other calls', async () => {
    const bench = openBench(legacyScript());
    await bench.provider.ready();
    const [first, second] = [bench.call(), bench.call()];
    await settle();
    const [a, b] = callsOf(bench.server.child.received);
    bench.server.child.say({ jsonrpc: '2.0', id: a?.id });
    bench.server.child.sayRaw('not json\n[1]\n{"jsonrpc":"2.0","id":999,"result":{}}\n');
    bench.server.child.sayBytes(Uint8Array.of(0xff, 0x0a));
    bench.server.child.say({ jsonrpc: '2.0', id: b?.id, result: { content: [] } });
    expect(faultOf(await first.outcome)).toBe('provider.malformed');
    expect((await second.outcome).kind).toBe('content');
  });

  it('is not affected by a flood of garbage, and neither is the log', async () => {
    const bench = openBench(legacyScript());
    await bench.provider.ready();
    const { outcome } = bench.call();
    await settle();
    bench.server.child.sayRaw('garbage\n'.repeat(10_000));
    bench.server.child.say({ jsonrpc: '2.0', id: callsOf(bench.server.child.received)[0]?.id, result: {} });
    expect((await outcome).kind).toBe('content');
    expect(bench.logs.filter(({ level }) => level === 'warn').length).toBeLessThan(10);
  });

  it('times out, and the server is notified once', async () => {
    const bench = openBench(legacyScript());
    await bench.provider.ready();
    const { outcome } = bench.call();
    await bench.clock.advance(9999);
    expect(cancelsOf(bench.server.child.received)).toEqual([]);
    await bench.clock.advance(1);
    expect(faultOf(await outcome)).toBe('call.timeout');
    await settle();
    const id = callsOf(bench.server.child.received)[0]?.id;
    expect(cancelsOf(bench.server.child.received)).toEqual([id]);
    // A late answer is dropped, and the next call is not confused by it.
    bench.server.child.say({ jsonrpc: '2.0', id, result: { late: true } });
    const next = bench.call();
    await settle();
    bench.server.child.say({
      jsonrpc: '2.0',
      id: callsOf(bench.server.child.received)[1]?.id,
      result: { ok: 1 },
    });
    expect(await next.outcome).toMatchObject({ kind: 'content', result: { value: { ok: 1 } } });
  });

  it('gets more time with progress, at most ten times', async () => {
    const bench = openBench(legacyScript());
    await bench.provider.ready();
    const { outcome, seen } = bench.call({ wantsProgress: true });
    await settle();
    const token = callsOf(bench.server.child.received)[0]?.params?.['_meta'];
    let steps = 0;
    void outcome.then(() => (steps = -1));
    for (let step = 1; step <= 30 && steps >= 0; step += 1) {
      await bench.clock.advance(5000);
      bench.server.child.say({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progress: step, ...(token as object) },
      });
    }
    expect(faultOf(await outcome)).toBe('call.timeout');
    expect(seen.progress.length).toBeGreaterThanOrEqual(19);
    expect(bench.clock.now() - 1_000_000).toBeLessThanOrEqual(105_000);
  });

  it('gets only its own progress, and only on request', async () => {
    const bench = openBench(legacyScript());
    await bench.provider.ready();
    const [wants, other] = [bench.call({ wantsProgress: true }), bench.call()];
    await settle();
    const [a, b] = callsOf(bench.server.child.received);
    expect(b?.params?.['_meta']).toBeUndefined();
    for (const progressToken of [a?.id, b?.id, 77, 'x', undefined]) {
      const params = { progressToken, progress: 1 };
      bench.server.child.say({ jsonrpc: '2.0', method: 'notifications/progress', params });
    }
    expect(wants.seen.progress).toEqual([{ progressToken: a?.id, progress: 1 }]);
    expect(other.seen.progress).toEqual([]);
  });

  it('is cancelled at once, with the right id, and a late answer is dropped', async () => {
    const bench = openBench(legacyScript());
    await bench.provider.ready();
    const controller = new AbortController();
    const [kept, cancelled] = [bench.call(), bench.call({ signal: controller.signal })];
    await settle();
    const [a, b] = callsOf(bench.server.child.received);
    controller.abort();
    expect(faultOf(await cancelled.outcome)).toBe('call.cancelled');
    await settle();
    expect(cancelsOf(bench.server.child.received)).toEqual([b?.id]);
    bench.server.child.say({ jsonrpc: '2.0', id: b?.id, result: {} });
    bench.server.child.say({ jsonrpc: '2.0', id: a?.id, result: {} });
    expect((await kept.outcome).kind).toBe('content');
  });

  it('is never sent if it is cancelled first', async () => {
    const bench = openBench(legacyScript());
    await bench.provider.ready();
    const controller = new AbortController();
    const { outcome } = bench.call({ signal: controller.signal });
    controller.abort();
    expect(faultOf(await outcome)).toBe('call.cancelled');
    expect(faultOf(await bench.call({ signal: controller.signal }).outcome)).toBe('call.cancelled');
    await settle();
    expect(callsOf(bench.server.child.received)).toEqual([]);
    expect(cancelsOf(bench.server.child.received)).toEqual([]);
  });

  it('sends nothing more to the caller of a finished call, and nothing about it to the server', async () => {
    const bench = openBench(
      legacyScript(({ id }, child) => child.say({ jsonrpc: '2.0', id, result: { content: [] } })),
    );
    const controller = new AbortController();
    expect((await bench.call({ signal: controller.signal }).outcome).kind).toBe('content');
    controller.abort();
    await settle();
    expect(cancelsOf(bench.server.child.received)).toEqual([]);
  });
});

describe('log lines of a server', () => {
  const say = (child: { say(message: unknown): void }, level: string): void =>
    child.say({ jsonrpc: '2.0', method: 'notifications/message', params: { level, data: level } });

  it('reach the only session in flight, at or above its level', async () => {
    const bench = openBench(legacyScript(undefined, logging));
    await bench.provider.ready();
    const { seen } = bench.call({ logLevel: 'warning' });
    await settle();
    for (const level of ['debug', 'warning', 'error', 'nonsense']) say(bench.server.child, level);
    expect(seen.logs).toEqual([
      ['warning', { level: 'warning', data: 'warning' }],
      ['error', { level: 'error', data: 'error' }],
    ]);
  });

  it('reach no session if they could belong to several, or to none', async () => {
    const bench = openBench(legacyScript(undefined, logging));
    await bench.provider.ready();
    say(bench.server.child, 'error');
    const [one, two] = [bench.call({ logLevel: 'debug' }), bench.call({ logLevel: 'debug', session: 'two' })];
    await settle();
    say(bench.server.child, 'error');
    expect([one.seen.logs, two.seen.logs]).toEqual([[], []]);
    expect(bench.logs.filter(({ message }) => message === 'server log')).toHaveLength(2);
  });

  it('do not reach a session right after the call of another one ended', async () => {
    const bench = openBench(legacyScript(undefined, logging));
    await bench.provider.ready();
    const one = bench.call();
    await settle();
    bench.server.child.say({ jsonrpc: '2.0', id: callsOf(bench.server.child.received)[0]?.id, result: {} });
    await one.outcome;
    const two = bench.call({ logLevel: 'debug', session: 'two' });
    await settle();
    say(bench.server.child, 'error');
    expect(two.seen.logs).toEqual([]);
    await bench.clock.advance(2000);
    say(bench.server.child, 'error');
    expect(two.seen.logs).toHaveLength(1);
  });

  it('are requested at the most verbose level that any call wants', async () => {
    const bench = openBench(legacyScript(undefined, logging));
    await bench.provider.ready();
    for (const logLevel of ['warning', 'error', 'debug', 'info'] as const) bench.call({ logLevel });
    await settle();
    const levels = bench.server.child.received
      .filter(({ method }) => method === 'logging/setLevel')
      .map(({ params }) => params?.['level']);
    expect(levels).toEqual(['warning', 'debug']);
  });

  it('are not requested if the server has no logging', async () => {
    const bench = openBench(legacyScript());
    await bench.provider.ready();
    bench.call({ logLevel: 'debug' });
    await settle();
    expect(bench.server.child.received.some(({ method }) => method === 'logging/setLevel')).toBe(false);
  });
});

describe('a call to a modern server', () => {
  it('contains everything about the caller that the protocol defines', async () => {
    const bench = openBench(modernScript());
    await bench.provider.ready();
    bench.call({
      logLevel: 'info',
      wantsProgress: true,
      can: ['elicitation/create'],
      capabilities:
        '{"elicitation":{"form":{ }},"sampling":{},"tasks":{},"extensions":{"io.modelcontextprotocol/tasks":{},"a/b":{"n":1.0}}}',
      params:
        '{"name":"s_echo","_meta":{"progressToken":"x","io.modelcontextprotocol/clientInfo":{"name":"theirs"}}}',
    });
    await settle();
    const call = callsOf(bench.server.child.received)[0];
    expect(call?.params).toEqual({
      name: 'echo',
      _meta: {
        progressToken: call?.id,
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'tidegate', version: '1.2.3' },
        'io.modelcontextprotocol/clientCapabilities': {
          elicitation: { form: {} },
          extensions: { 'a/b': { n: 1 } },
        },
        'io.modelcontextprotocol/logLevel': 'info',
      },
    });
    expect(bench.server.child.writes.at(-1)).toContain('{"form":{ }}');
  });

  it('turns requests of the server into questions, and answers into a new request', async () => {
    const asking: Script = ({ id, params }, child) => {
      const result =
        params?.['inputResponses'] === undefined
          ? '{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","n":1.0}},"requestState":"s1"}'
          : '{"resultType":"complete","content":[]}';
      child.sayRaw(`{"jsonrpc":"2.0","id":${String(id)},"result":${result}}\n`);
    };
    const bench = openBench(modernScript(asking));
    const first = await bench.call().outcome;
    expect(first).toMatchObject({ kind: 'asks', state: 's1' });
    expect(first.kind === 'asks' && first.questions.text).toBe(
      '{"k":{"method":"elicitation/create","n":1.0}}',
    );
    const answers = { responses: new JsonText('{"k":{"action":"decline"}}'), state: 's1' };
    expect((await bench.call({ answers }).outcome).kind).toBe('content');
    const [a, b] = callsOf(bench.server.child.received);
    expect(b?.params).toMatchObject({ inputResponses: { k: { action: 'decline' } }, requestState: 's1' });
    expect(b?.id).not.toBe(a?.id);
    await bench.call({ answers: { responses: new JsonText('{}') } }).outcome;
    expect(callsOf(bench.server.child.received)[2]?.params).not.toHaveProperty('requestState');
  });
});
