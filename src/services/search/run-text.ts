import type { TextQuery } from '../../ports/search.js';
import type { Collector } from './collect.js';
import type { SearchContext } from './context.js';
import type { Place } from './place.js';
import type { RipgrepEnd } from './ripgrep.js';

/** One text search, from start to answer. */
export interface TextJob {
  readonly context: SearchContext;
  readonly query: TextQuery;
  readonly place: Place;
  readonly signal: AbortSignal;
  /** The start time on the clock of `Date.now()`, which also dates files. */
  readonly began: number;
  readonly deadline: number;
}

export interface TextRun {
  readonly collector: Collector;
  readonly end: RipgrepEnd;
}

export interface TextOrder {
  /** All arguments, ending with `--` and the paths. */
  readonly args: readonly string[];
  readonly collect: () => Collector;
  /** Decides after each chunk whether to continue. */
  readonly patience?: () => (isFull: boolean, bytes: number) => boolean;
}

/** Runs ripgrep, and again with --mmap if a file with an endless line would take all memory. */
export async function runText(job: TextJob, order: TextOrder): Promise<TextRun> {
  const first = await runOnce(job, order);
  if (first.end.stopped !== 'memory') return first;
  // With mapped files such a line costs no memory, but every other search is slower.
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
