import type { TextQuery } from '../../ports/search.js';
import type { Collector } from './collect.js';
import type { SearchContext } from './context.js';
import type { Place } from './place.js';
import type { RipgrepEnd } from './ripgrep.js';

/** One search of text, from its start to its answer. */
export interface TextJob {
  readonly context: SearchContext;
  readonly query: TextQuery;
  readonly place: Place;
  readonly signal: AbortSignal;
  /** When it began, in the time of `Date.now()`: that is what files are dated by. */
  readonly began: number;
  readonly deadline: number;
}

export interface TextRun {
  readonly collector: Collector;
  readonly end: RipgrepEnd;
}

export interface TextOrder {
  /** All arguments, with `--` and the paths at their end. */
  readonly args: readonly string[];
  readonly collect: () => Collector;
  /** Says after each chunk whether to go on. */
  readonly patience?: () => (isFull: boolean, bytes: number) => boolean;
}

/** Runs ripgrep, once more in another way if a file with an endless line would take all memory. */
export async function runText(job: TextJob, order: TextOrder): Promise<TextRun> {
  const first = await runOnce(job, order);
  if (first.end.stopped !== 'memory') return first;
  // With files mapped into memory such a line costs nothing; but every other search is slower that way.
  return runOnce(job, { ...order, args: ['--mmap', ...order.args] });
}

async function runOnce({ context, place, signal, deadline }: TextJob, order: TextOrder): Promise<TextRun> {
  const collector = order.collect();
  const goesOn = order.patience?.() ?? (() => true);
  const end = await context.ripgrep.run({
    args: order.args,
    cwd: place.cwd,
    signal,
    deadline,
    take: (chunk) => {
      collector.push(chunk);
      return goesOn(collector.isFull, chunk.length);
    },
  });
  collector.end();
  return { collector, end };
}
