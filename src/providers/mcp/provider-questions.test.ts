import { describe, expect, it } from 'vitest';
import { faultOf, openBench } from '../../../test/support/scripted-provider.js';
import {
  legacyScript,
  type Message,
  type ScriptedChild,
  settle,
} from '../../../test/support/scripted-upstream.js';
import type { Answer } from '../../core/index.js';
import { JsonText } from '../../lib/json-text.js';

const elicit = 'elicitation/create';
const accept: Answer = {
  kind: 'answer',
  result: new JsonText('{"action":"accept","n":12345678901234567890}'),
};

function ask(
  child: ScriptedChild,
  id: number | string,
  method = elicit,
  params: object = { message: 'who?' },
): void {
  child.say({ jsonrpc: '2.0', id, method, params });
}

function answerTo(child: ScriptedChild, id: number | string): Message | undefined {
  return child.received.find((message) => message.id === id && message.method === undefined);
}

function openIdle() {
  return openBench(legacyScript());
}

describe('a question of a server', () => {
  it('goes to the caller of the only call, and the answer is returned as given', async () => {
    const bench = openIdle();
    await bench.provider.ready();
    const { seen } = bench.call({ can: [elicit], answer: () => accept });
    await settle();
    ask(bench.server.child, 'q"1');
    await settle();
    expect(seen.questions).toMatchObject([{ method: elicit, params: { value: { message: 'who?' } } }]);
    expect(bench.server.child.writes.at(-1)).toBe(
      '{"jsonrpc":"2.0","id":"q\\"1","result":{"action":"accept","n":12345678901234567890}}\n',
    );
  });

  it('goes to the newest call of the only session in flight', async () => {
    const bench = openIdle();
    await bench.provider.ready();
    const [older, newer] = [bench.call({ can: [elicit] }), bench.call({ can: [elicit] })];
    await settle();
    ask(bench.server.child, 1);
    expect([older.seen.questions.length, newer.seen.questions.length]).toEqual([0, 1]);
  });

  it('gets the error that the caller gave', async () => {
    const bench = openIdle();
    await bench.provider.ready();
    const error = new JsonText('{"code":-1,"message":"user rejected","data":{"x":1.0}}');
    bench.call({ can: [elicit], answer: () => ({ kind: 'refused', error }) });
    await settle();
    ask(bench.server.child, 7);
    await settle();
    expect(bench.server.child.writes.at(-1)).toBe(`{"jsonrpc":"2.0","id":7,"error":${error.text}}\n`);
  });

  it('is refused at once if the client does not support it, if no call is running, or if it is unknown', async () => {
    const bench = openIdle();
    await bench.provider.ready();
    ask(bench.server.child, 1);
    bench.call();
    await settle();
    ask(bench.server.child, 2);
    ask(bench.server.child, 3, 'sampling/createMessage');
    ask(bench.server.child, 4, 'tasks/get');
    ask(bench.server.child, 5, 'ping');
    await settle();
    const codes = [1, 2, 3, 4].map((id) => answerTo(bench.server.child, id)?.error?.code);
    expect(codes).toEqual([-32603, -32021, -32021, -32601]);
    expect(answerTo(bench.server.child, 5)?.result).toEqual({});
  });

  it('about roots is answered with the configured folders, whatever a caller says', async () => {
    const folders = ['/work space/a'];
    const bench = openBench(legacyScript(), { roots: { kind: 'folders', folders } });
    await bench.provider.ready();
    ask(bench.server.child, 1, 'roots/list');
    bench.call();
    await settle();
    ask(bench.server.child, 2, 'roots/list');
    bench.call({ session: 'two', can: ['roots/list'] });
    await settle();
    ask(bench.server.child, 3, 'roots/list');
    await settle();
    for (const id of [1, 2, 3]) {
      expect(answerTo(bench.server.child, id)?.result).toEqual({
        roots: [{ uri: 'file:///work%20space/a' }],
      });
    }
  });

  it.each([undefined, { kind: 'caller' } as const])(
    'about roots gets an error, without asking a caller, if no folders are configured (%o)',
    async (roots) => {
      const bench = openBench(legacyScript(), roots && { roots });
      await bench.provider.ready();
      const theirs = JsonText.from({ roots: [{ uri: 'file:///theirs' }] });
      const { seen } = bench.call({
        can: ['roots/list'],
        answer: () => ({ kind: 'answer', result: theirs }),
      });
      await settle();
      ask(bench.server.child, 1, 'roots/list');
      await settle();
      expect(answerTo(bench.server.child, 1)?.error?.code).toBe(-32601);
      expect(seen.questions).toEqual([]);
    },
  );

  it('is refused while several sessions have calls in flight', async () => {
    const bench = openIdle();
    await bench.provider.ready();
    const [one, two] = [bench.call({ can: [elicit] }), bench.call({ can: [elicit], session: 'two' })];
    await settle();
    ask(bench.server.child, 1);
    await settle();
    expect(answerTo(bench.server.child, 1)?.error?.code).toBe(-32603);
    expect([one.seen.questions, two.seen.questions]).toEqual([[], []]);
  });

  it('is not attributed to another session after a call was abandoned', async () => {
    const bench = openIdle();
    await bench.provider.ready();
    const controller = new AbortController();
    bench.call({ can: [elicit], signal: controller.signal });
    await settle();
    controller.abort();
    const two = bench.call({ can: [elicit], session: 'two' });
    await settle();
    ask(bench.server.child, 1);
    expect(two.seen.questions).toEqual([]);
    await bench.clock.advance(80_000);
    const three = bench.call({ can: [elicit], session: 'three' });
    await settle();
    ask(bench.server.child, 2);
    await settle();
    expect(three.seen.questions).toHaveLength(1);
  });

  it('makes sessions take turns from then on', async () => {
    const bench = openIdle();
    await bench.provider.ready();
    const running = [bench.call(), bench.call({ session: 'two' })];
    await settle();
    ask(bench.server.child, 1);
    const callsNow = (): Message[] =>
      bench.server.child.received.filter(({ method }) => method === 'tools/call');
    for (const { id } of callsNow()) bench.server.child.say({ jsonrpc: '2.0', id, result: {} });
    await Promise.all(running.map(({ outcome }) => outcome));
    const one = [bench.call(), bench.call()];
    const two = bench.call({ session: 'two', can: [elicit] });
    const three = bench.call({ session: 'three' });
    await settle();
    expect(callsNow()).toHaveLength(4);
    for (const { id } of callsNow().slice(2)) bench.server.child.say({ jsonrpc: '2.0', id, result: {} });
    await Promise.all(one.map(({ outcome }) => outcome));
    await settle();
    expect(callsNow()).toHaveLength(5);
    ask(bench.server.child, 2);
    expect(two.seen.questions).toHaveLength(1);
    bench.server.child.say({ jsonrpc: '2.0', id: callsNow()[4]?.id, result: {} });
    await two.outcome;
    await settle();
    expect(callsNow()).toHaveLength(6);
    bench.server.child.say({ jsonrpc: '2.0', id: callsNow()[5]?.id, result: {} });
    expect((await three.outcome).kind).toBe('content');
  });

  it('stops the timeout of the call while its caller answers', async () => {
    const bench = openIdle();
    await bench.provider.ready();
    let answer: (value: Answer) => void = () => undefined;
    const { outcome } = bench.call({
      can: [elicit],
      answer: () => new Promise((resolve) => (answer = resolve)),
    });
    await settle();
    ask(bench.server.child, 1);
    await bench.clock.advance(300_000);
    answer(accept);
    await settle();
    expect(answerTo(bench.server.child, 1)?.result).toMatchObject({ action: 'accept' });
    await bench.clock.advance(9000);
    let isOver = false;
    void outcome.then(() => (isOver = true));
    await settle();
    expect(isOver).toBe(false);
    await bench.clock.advance(20_000);
    expect(faultOf(await outcome)).toBe('call.timeout');
  });

  it('does not wait forever for a caller that never answers', async () => {
    const bench = openIdle();
    await bench.provider.ready();
    bench.call({ can: [elicit], answer: () => new Promise(() => undefined) });
    await settle();
    ask(bench.server.child, 1);
    await bench.clock.advance(16 * 60_000);
    expect(answerTo(bench.server.child, 1)?.error?.code).toBe(-32603);
  });

  it('is withdrawn when the call ends, and a late answer is dropped', async () => {
    const bench = openIdle();
    await bench.provider.ready();
    const controller = new AbortController();
    let answer: (value: Answer) => void = () => undefined;
    bench.call({
      can: [elicit],
      signal: controller.signal,
      answer: () => new Promise((resolve) => (answer = resolve)),
    });
    await settle();
    ask(bench.server.child, 1);
    controller.abort();
    await settle();
    expect(answerTo(bench.server.child, 1)?.error?.code).toBe(-32603);
    answer(accept);
    await settle();
    expect(
      bench.server.child.received.filter(({ id, method }) => id === 1 && method === undefined),
    ).toHaveLength(1);
  });

  it('can be withdrawn by the server', async () => {
    const bench = openIdle();
    await bench.provider.ready();
    let answer: (value: Answer) => void = () => undefined;
    bench.call({ can: [elicit], answer: () => new Promise((resolve) => (answer = resolve)) });
    await settle();
    ask(bench.server.child, 'q');
    bench.server.child.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q' } });
    answer(accept);
    await settle();
    expect(answerTo(bench.server.child, 'q')).toBeUndefined();
  });

  it('counts towards a limit', async () => {
    const bench = openIdle();
    await bench.provider.ready();
    const { seen } = bench.call({ can: [elicit], answer: () => new Promise(() => undefined) });
    await settle();
    for (let id = 0; id < 100; id += 1) ask(bench.server.child, `q${id}`);
    await settle();
    expect(seen.questions).toHaveLength(64);
    expect(answerTo(bench.server.child, 'q99')?.error?.code).toBe(-32603);
  });
});
