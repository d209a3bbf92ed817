/** Tells two kinds of answers apart by the time they take, as somebody outside would try to. */

/** Of two kinds, in random order, one after the other. */
export interface Trial {
  /** How many questions in all. */
  readonly times: number;
  /** 0 <= next() < 1. */
  readonly next: () => number;
  readonly ask: (kind: 'hidden' | 'absent', turn: number) => Promise<unknown>;
  /** Something harmless that is asked right after each answer. */
  readonly askNext: () => Promise<unknown>;
}

/** How well a time tells hidden from absent: 0.5 is not at all, 0 and 1 are always. */
export interface Verdict {
  /** By the time of the answer itself. */
  readonly answer: number;
  /** By the time of the next answer on the same connection. */
  readonly next: number;
  readonly medians: string;
}

export async function classify({ times, next, ask, askNext }: Trial): Promise<Verdict> {
  const taken = { hidden: [] as number[], absent: [] as number[] };
  const after = { hidden: [] as number[], absent: [] as number[] };
  for (let turn = 0; turn < times / 2; turn += 1) {
    const kinds = next() < 0.5 ? (['hidden', 'absent'] as const) : (['absent', 'hidden'] as const);
    for (const kind of kinds) {
      taken[kind].push(await timeOf(() => ask(kind, turn)));
      after[kind].push(await timeOf(askNext));
    }
  }
  const words = (part: typeof taken): string =>
    `${median(part.hidden).toFixed(1)}/${median(part.absent).toFixed(1)}`;
  return {
    answer: areaUnder(taken.hidden, taken.absent),
    next: areaUnder(after.hidden, after.absent),
    medians: `medians hidden/absent ${words(taken)} µs, next ${words(after)} µs`,
  };
}

/** The chance that one of the first is larger than one of the second: the area under the curve of every classifier. */
function areaUnder(first: readonly number[], second: readonly number[]): number {
  const all = [
    ...first.map((value) => ({ value, isFirst: true })),
    ...second.map((value) => ({ value, isFirst: false })),
  ].sort((a, b) => a.value - b.value);
  let ranks = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (all[to]?.value === all[from]?.value && to < all.length) to += 1;
    // Equal values share the mean of their ranks.
    for (const { isFirst } of all.slice(from, to)) if (isFirst) ranks += (from + to + 1) / 2;
    from = to;
  }
  return (ranks - (first.length * (first.length + 1)) / 2) / (first.length * second.length);
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const start = process.hrtime.bigint();
  await run();
  return Number(process.hrtime.bigint() - start) / 1000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
