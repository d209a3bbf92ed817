import { describe, expect, it } from 'vitest';
import { createCancellation } from './cancellation.js';
import { createSemaphore } from './semaphore.js';

const nobody = createCancellation;

describe('the semaphore', () => {
  it('admits a fixed number at once, and the next when one leaves, in order', async () => {
    const semaphore = createSemaphore(2, 10);
    expect([semaphore.enter(nobody()), semaphore.enter(nobody())]).toEqual([true, true]);
    const order: string[] = [];
    const third = Promise.resolve(semaphore.enter(nobody())).then(() => void order.push('third'));
    const fourth = Promise.resolve(semaphore.enter(nobody())).then(() => void order.push('fourth'));
    await Promise.resolve();
    expect(order).toEqual([]);
    semaphore.leave();
    await third;
    expect(order).toEqual(['third']);
    semaphore.leave();
    await fourth;
    expect(order).toEqual(['third', 'fourth']);
  });

  it('refuses a caller if the queue is full', () => {
    const semaphore = createSemaphore(1, 2);
    void semaphore.enter(nobody());
    void semaphore.enter(nobody());
    void semaphore.enter(nobody());
    expect(semaphore.enter(nobody())).toBe(false);
  });

  it('forgets a caller that stops waiting, and admits the next one instead', async () => {
    const semaphore = createSemaphore(1, 1);
    void semaphore.enter(nobody());
    const impatient = createCancellation();
    const waiting = semaphore.enter(impatient);
    impatient.cancel();
    expect(await waiting).toBe(false);
    const next = semaphore.enter(nobody());
    semaphore.leave();
    expect(await next).toBe(true);
  });

  it('does not admit a caller that has already given up', () => {
    const gone = createCancellation();
    gone.cancel();
    expect(createSemaphore(1, 1).enter(gone)).toBe(false);
  });

  it('counts correctly over any sequence of callers', async () => {
    const semaphore = createSemaphore(3, 100);
    let inside = 0;
    let most = 0;
    const visit = async (): Promise<void> => {
      if (!(await semaphore.enter(nobody()))) throw new Error('turned away');
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      semaphore.leave();
    };
    await Promise.all(Array.from({ length: 100 }, visit));
    expect({ inside, most }).toEqual({ inside: 0, most: 3 });
    expect([semaphore.enter(nobody()), semaphore.enter(nobody()), semaphore.enter(nobody())]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('holds all callers while it is shut, and continues in order', async () => {
    let isShut = true;
    const semaphore = createSemaphore(1, 10, () => isShut);
    const first = semaphore.enter(nobody());
    const second = semaphore.enter(nobody());
    expect(first).toBeInstanceOf(Promise);
    semaphore.reopen();
    isShut = false;
    semaphore.reopen();
    expect(await first).toBe(true);
    isShut = true;
    semaphore.leave();
    isShut = false;
    semaphore.reopen();
    expect(await second).toBe(true);
  });
});
