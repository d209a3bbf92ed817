import { describe, expect, it } from 'vitest';
import { content } from '../core/index.js';
import { JsonText } from '../lib/json-text.js';
import { createFakeExchange, createFakeProvider } from './index.js';

const question = { method: 'roots/list', params: JsonText.from({}) } as const;

describe('a fake exchange', () => {
  it('records what it receives', () => {
    const exchange = createFakeExchange({ logLevel: 'info' });
    exchange.progress(JsonText.from(1));
    exchange.log('error', JsonText.from(2));
    expect(exchange.sent.progress.map(({ value }) => value)).toEqual([1]);
    expect(exchange.sent.logs.map(({ level, params }) => [level, params.value])).toEqual([['error', 2]]);
  });

  it('answers as configured, or declines', async () => {
    const able = createFakeExchange({ answer: ({ method }) => ({ to: method }) });
    expect(able.canAnswer('roots/list')).toBe(true);
    const answer = await able.ask(question);
    expect(answer.kind === 'answer' && answer.result.value).toEqual({ to: 'roots/list' });
    const unable = createFakeExchange();
    expect(unable.canAnswer('roots/list')).toBe(false);
    expect((await unable.ask(question)).kind).toBe('refused');
    expect(unable.sent.questions).toEqual([question]);
  });

  it('can cancel', () => {
    const exchange = createFakeExchange();
    let told = 0;
    exchange.onCancel(() => {
      told += 1;
    });
    expect([exchange.isCancelled, exchange.signal.aborted]).toEqual([false, false]);
    exchange.cancel();
    expect([exchange.isCancelled, exchange.signal.aborted, told]).toEqual([true, true, 1]);
  });
});

describe('a fake provider', () => {
  it('offers its tools and announces changes', () => {
    const provider = createFakeProvider('one', { a: () => content(JsonText.from({})) });
    let changes = 0;
    const stop = provider.onChange(() => {
      changes += 1;
    });
    expect(provider.list().tools.map(({ name, source }) => [name, source])).toEqual([['a', 'server:one']]);
    provider.offer({ b: () => content(JsonText.from({})) });
    stop();
    provider.offer({});
    expect(provider.list().tools).toEqual([]);
    expect(changes).toBe(1);
  });
});
