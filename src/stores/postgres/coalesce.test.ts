import { describe, expect, it } from 'vitest';
import { createCoalescer } from './coalesce.js';

/** Queries that stay open until the test answers them. */
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

describe('createCoalescer', () => {
  it('sends one query for all callers in the same tick', async () => {
    const { sent, askAll } = openAsked();
    const ask = createCoalescer(askAll);
    const answers = Promise.all([ask('a'), ask('b'), ask('a')]);
    await turn();
    expect(sent.map(({ keys }) => keys)).toEqual([['a', 'b']]);
    sent[0]?.answer(7);
    expect(await answers).toEqual([7, 7, 7]);
  });

  it('never answers a caller from a query that was sent earlier', async () => {
    const { sent, askAll } = openAsked();
    const ask = createCoalescer(askAll, 1);
    const early = ask('a');
    await turn();
    const late = ask('a');
    await turn();
    // Only one at a time: the second query waits and takes later callers along.
    const later = ask('a');
    expect(sent).toHaveLength(1);
    sent[0]?.answer(1);
    expect(await early).toBe(1);
    await turn();
    expect(sent).toHaveLength(2);
    sent[1]?.answer(2);
    expect(await Promise.all([late, later])).toEqual([2, 2]);
  });

  it('runs as many queries at once as allowed', async () => {
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

  it('rejects the callers of a failed query and no later ones', async () => {
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
