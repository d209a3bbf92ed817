import { describe, expect, it } from 'vitest';
import { createCoalescer } from './coalesce.js';

/** Questions that wait until the test answers them. */
function openAsked() {
  const sent: { readonly keys: readonly string[]; answer(value: number): void; fail(): void }[] = [];
  const askAll = (keys: readonly string[]): Promise<() => number> =>
    new Promise((resolve, reject) => {
      sent.push({
        keys,
        answer: (value) => resolve(() => value),
        fail: () => reject(new Error('lost')),
      });
    });
  return { sent, askAll };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('questions that are asked together', () => {
  it('are sent once for all who ask in one breath', async () => {
    const { sent, askAll } = openAsked();
    const ask = createCoalescer(askAll);
    const answers = Promise.all([ask('a'), ask('b'), ask('a')]);
    await turn();
    expect(sent.map(({ keys }) => keys)).toEqual([['a', 'b']]);
    sent[0]?.answer(7);
    expect(await answers).toEqual([7, 7, 7]);
  });

  it('never answer anybody who asked after they were sent', async () => {
    const { sent, askAll } = openAsked();
    const ask = createCoalescer(askAll, 1);
    const early = ask('a');
    await turn();
    const late = ask('a');
    await turn();
    // One at a time: the second waits, and those who come meanwhile with it.
    const later = ask('a');
    expect(sent).toHaveLength(1);
    sent[0]?.answer(1);
    expect(await early).toBe(1);
    await turn();
    expect(sent).toHaveLength(2);
    sent[1]?.answer(2);
    expect(await Promise.all([late, later])).toEqual([2, 2]);
  });

  it('have as many under way as they may', async () => {
    const { sent, askAll } = openAsked();
    const ask = createCoalescer(askAll, 2);
    const all = [];
    for (let round = 0; round < 5; round += 1) {
      all.push(ask(String(round)));
      await turn();
    }
    expect(sent.map(({ keys }) => keys)).toEqual([['0'], ['1']]);
    sent[1]?.answer(1);
    await turn();
    expect(sent.map(({ keys }) => keys)).toEqual([['0'], ['1'], ['2', '3', '4']]);
    sent[0]?.answer(0);
    sent[2]?.answer(2);
    expect(await Promise.all(all)).toEqual([0, 1, 2, 2, 2]);
  });

  it('fail for those who asked, and not for the next', async () => {
    const { sent, askAll } = openAsked();
    const ask = createCoalescer(askAll, 1);
    const lost = [ask('a'), ask('b')];
    await turn();
    const next = ask('a');
    sent[0]?.fail();
    for (const one of lost) await expect(one).rejects.toThrow('lost');
    await turn();
    sent[1]?.answer(3);
    expect(await next).toBe(3);
  });
});
