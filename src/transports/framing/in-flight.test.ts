import { describe, expect, it } from 'vitest';
import { createInFlight } from './in-flight.js';

describe('the requests in flight', () => {
  it('refuse an id that is in use, in any spelling', () => {
    const inFlight = createInFlight();
    expect(inFlight.begin('"a"')).toBeDefined();
    expect(inFlight.begin('"\\u0061"')).toBeUndefined();
    expect(inFlight.begin('1')).toBeDefined();
    expect(inFlight.begin('"1"')).toBeDefined();
    expect(inFlight.begin('9007199254740993')).toBeDefined();
    expect(inFlight.begin('9007199254740992')).toBeDefined();
    expect(inFlight.size).toBe(5);
  });

  it('free an id when its request ends', () => {
    const inFlight = createInFlight();
    inFlight.begin('"a"');
    inFlight.end('"\\u0061"');
    expect(inFlight.begin('"a"')).toBeDefined();
  });

  it('cancel the given one, and ignore an unknown or finished id', () => {
    const inFlight = createInFlight();
    const [one, two] = [inFlight.begin('1'), inFlight.begin('2')];
    inFlight.cancel('1');
    inFlight.cancel('3');
    expect([one?.signal.aborted, two?.signal.aborted]).toEqual([true, false]);
    inFlight.end('2');
    inFlight.cancel('2');
    expect(two?.signal.aborted).toBe(false);
  });

  it('are all cancelled when the client leaves', () => {
    const inFlight = createInFlight();
    const all = ['1', '2', '3'].map((id) => inFlight.begin(id));
    inFlight.cancelAll();
    expect(all.every((controller) => controller?.signal.aborted)).toBe(true);
    expect(inFlight.size).toBe(0);
  });
});
