import { describe, expect, it } from 'vitest';
import { cancellationOf, createCancellation } from './cancellation.js';
import { createQuietExchange } from '../core/index.js';

describe('a cancellation', () => {
  it('notifies every listener once', () => {
    const source = createCancellation();
    const told: string[] = [];
    source.onCancel(() => void told.push('a'));
    source.onCancel(() => void told.push('b'));
    expect(source.isCancelled).toBe(false);
    source.cancel();
    source.cancel();
    expect({ told, isCancelled: source.isCancelled }).toEqual({ told: ['a', 'b'], isCancelled: true });
  });

  it('does not call listeners that were removed', () => {
    const source = createCancellation();
    let told = 0;
    const stop = source.onCancel(() => {
      told += 1;
    });
    stop();
    source.cancel();
    expect(told).toBe(0);
  });

  it('notifies late listeners at once', () => {
    const source = createCancellation();
    source.cancel();
    let told = 0;
    source.onCancel(() => {
      told += 1;
    });
    expect(told).toBe(1);
  });

  it('provides an AbortSignal before and after cancellation', () => {
    const before = createCancellation();
    const { signal } = before;
    expect(signal).toBe(before.signal);
    before.cancel();
    expect(signal.aborted).toBe(true);
    const after = createCancellation();
    after.cancel();
    expect(after.signal.aborted).toBe(true);
  });

  it('is already cancelled when listeners are called', () => {
    const source = createCancellation();
    const seen: boolean[] = [];
    source.onCancel(() => void seen.push(source.isCancelled));
    source.cancel();
    expect(seen).toEqual([true]);
  });
});

describe('the cancellation of a signal', () => {
  it.each([
    ['plain', cancellationOf],
    ['with a no-op exchange', createQuietExchange],
  ])('follows it: %s', (_name, of) => {
    const controller = new AbortController();
    const caller = of(controller.signal);
    let told = 0;
    caller.onCancel(() => {
      told += 1;
    });
    caller.onCancel(() => {
      told += 10;
    })();
    expect(caller.isCancelled).toBe(false);
    controller.abort();
    expect({ told, isCancelled: caller.isCancelled }).toEqual({ told: 1, isCancelled: true });
    caller.onCancel(() => {
      told += 100;
    });
    expect(told).toBe(101);
    expect(caller.signal).toBe(controller.signal);
  });

  it('a no-op exchange answers no question and sends nothing', async () => {
    const exchange = createQuietExchange(new AbortController().signal);
    expect(exchange.canAnswer('roots/list')).toBe(false);
    expect(exchange.wantsProgress).toBe(false);
    const { kind } = await exchange.ask({ method: 'roots/list', params: { text: '{}', value: {} } as never });
    expect(kind).toBe('refused');
  });
});
