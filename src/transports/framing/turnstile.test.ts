import { describe, expect, it } from 'vitest';
import { createCancellation } from '../../lib/cancellation.js';
import { createTurnstile } from './turnstile.js';

const nobody = createCancellation;

describe('the turnstile', () => {
  it('lets its number in at once, and the next as one leaves, in order', async () => {
    const turnstile = createTurnstile(2, 10);
    expect([turnstile.enter(nobody()), turnstile.enter(nobody())]).toEqual([true, true]);
    const order: string[] = [];
    const third = Promise.resolve(turnstile.enter(nobody())).then(() => void order.push('third'));
    const fourth = Promise.resolve(turnstile.enter(nobody())).then(() => void order.push('fourth'));
    await Promise.resolve();
    expect(order).toEqual([]);
    turnstile.leave();
    await third;
    expect(order).toEqual(['third']);
    turnstile.leave();
    await fourth;
    expect(order).toEqual(['third', 'fourth']);
  });

  it('turns away who finds the queue full', () => {
    const turnstile = createTurnstile(1, 2);
    void turnstile.enter(nobody());
    void turnstile.enter(nobody());
    void turnstile.enter(nobody());
    expect(turnstile.enter(nobody())).toBe(false);
  });

  it('forgets who gives up waiting, and keeps the place for the next', async () => {
    const turnstile = createTurnstile(1, 1);
    void turnstile.enter(nobody());
    const impatient = createCancellation();
    const waiting = turnstile.enter(impatient);
    impatient.cancel();
    expect(await waiting).toBe(false);
    const next = turnstile.enter(nobody());
    turnstile.leave();
    expect(await next).toBe(true);
  });

  it('does not let in who has given up already', () => {
    const gone = createCancellation();
    gone.cancel();
    expect(createTurnstile(1, 1).enter(gone)).toBe(false);
  });

  it('counts right over any number of comings and goings', async () => {
    const turnstile = createTurnstile(3, 100);
    let inside = 0;
    let most = 0;
    const visit = async (): Promise<void> => {
      if (!(await turnstile.enter(nobody()))) throw new Error('turned away');
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      turnstile.leave();
    };
    await Promise.all(Array.from({ length: 100 }, visit));
    expect({ inside, most }).toEqual({ inside: 0, most: 3 });
    expect([turnstile.enter(nobody()), turnstile.enter(nobody()), turnstile.enter(nobody())]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('holds everyone back while it is shut, and lets them go on in order', async () => {
    let isShut = true;
    const turnstile = createTurnstile(1, 10, () => isShut);
    const first = turnstile.enter(nobody());
    const second = turnstile.enter(nobody());
    expect(first).toBeInstanceOf(Promise);
    turnstile.reopen();
    isShut = false;
    turnstile.reopen();
    expect(await first).toBe(true);
    isShut = true;
    turnstile.leave();
    isShut = false;
    turnstile.reopen();
    expect(await second).toBe(true);
  });
});
