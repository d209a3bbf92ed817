import { describe, expect, it } from 'vitest';
import { emptyObject } from '../lib/json-text.js';
import type { Exchange, Observer } from '../core/index.js';
import { createFakeExchange } from '../testing/index.js';
import { createWatching } from './observe.js';
import { toolRequest } from '../../test/support/gateway.js';

const begin: Observer['begin'] = () => () => {};

function withSteps(exchange: Exchange, id: string, observers: readonly Observer[]): Exchange {
  return createWatching({ observers, now: () => 0, redact: (text) => text })(
    toolRequest('echo', {}, { id }),
  ).withSteps(exchange);
}

describe('steps of a call', () => {
  it('cost nothing without observers', () => {
    const exchange = createFakeExchange();
    expect(withSteps(exchange, 'r', [{ name: 'log', begin }])).toBe(exchange);
  });

  it('are reported to all observers, with the request and the outcome', () => {
    const told: string[] = [];
    const watcher = (name: string): Observer => ({
      name,
      begin,
      step: (id, step) => {
        told.push(`${name} ${id} ${step}`);
        return (failure) => void told.push(`${name} end ${failure ?? 'well'}`);
      },
    });
    const exchange = withSteps(createFakeExchange(), 'r', [watcher('a'), watcher('b')]);
    exchange.step?.('one')();
    exchange.step?.('two')('badly');
    expect(told).toEqual([
      'a r one',
      'b r one',
      'a end well',
      'b end well',
      'a r two',
      'b r two',
      'a end badly',
      'b end badly',
    ]);
  });

  it('continue if an observer fails', () => {
    const throwing = (): never => {
      throw new Error('no');
    };
    const first: Observer = { name: 'a', begin, step: throwing };
    const second: Observer = { name: 'b', begin, step: () => throwing };
    expect(() => withSteps(createFakeExchange(), 'r', [first, second]).step?.('x')()).not.toThrow();
  });

  it('leave the rest of the exchange unchanged', async () => {
    const fake = createFakeExchange({ logLevel: 'info', answer: () => ({ ok: true }) });
    const exchange = withSteps(fake, 'r', [{ name: 'a', begin, step: () => () => {} }]);
    expect(exchange).toMatchObject({
      wantsProgress: true,
      logLevel: 'info',
      asking: 'live',
      isCancelled: false,
    });
    exchange.progress(emptyObject);
    exchange.log('info', emptyObject);
    expect(exchange.canAnswer('roots/list')).toBe(true);
    await exchange.ask({ method: 'roots/list', params: emptyObject });
    expect(fake.sent).toMatchObject({ progress: [{}], logs: [{}], questions: [{}] });
    const gone: true[] = [];
    exchange.onCancel(() => void gone.push(true));
    fake.cancel();
    expect([gone, exchange.isCancelled, exchange.signal.aborted]).toEqual([[true], true, true]);
  });
});
