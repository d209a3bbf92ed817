import type { CancellingCaller } from './cancelling-callers.js';
import { type Message, textOfResult } from './line-client.js';
import type { Random } from './random.js';

interface Event {
  readonly what: 'began' | 'ended' | 'cancelled' | 'late-cancel';
  readonly id: number;
  readonly mark: string | null;
  readonly at: number;
}

interface Planned {
  readonly id: number;
  readonly mark: string;
  readonly prefix: string;
  readonly args: object;
  readonly wantsProgress: boolean;
  readonly cancel: 'never' | 'at once' | 'next turn' | 'later' | 'at progress' | 'when answered';
  readonly laterMs: number;
}

interface Kept extends Planned {
  readonly answers: Message[];
  cancelledAt: number | undefined;
}

export interface CancelReport {
  /** What went wrong, one sentence each. */
  readonly violations: readonly string[];
  readonly calls: number;
  readonly cancels: number;
  /** Cancellations that met their request while the upstream still had it open. */
  readonly met: number;
  /** From the client's word to the upstream's ear, sorted. */
  readonly milliseconds: readonly number[];
}

export interface HoldingUpstream {
  readonly prefix: string;
  /** Whether everything goes over one line. Otherwise a call that is cancelled at once may never set out. */
  readonly isOrdered: boolean;
}

const settleMs = 3000;

/**
 * Makes calls in batches, cancels some at random points, and holds the client's story against the ledgers of the
 * upstreams. Every batch uses the same ids: an entry that leaked would refuse its successor.
 */
export async function runCancellations(
  caller: CancellingCaller,
  upstreams: readonly HoldingUpstream[],
  total: number,
  random: Random,
  batchSize = 50,
): Promise<CancelReport> {
  const violations: string[] = [];
  const milliseconds: number[] = [];
  const totals = { calls: 0, cancels: 0, met: 0 };
  for (let batch = 0; totals.calls < total && violations.length < 50; batch += 1) {
    const size = Math.min(batchSize, total - totals.calls);
    const planned = Array.from({ length: size }, (_, at) => plan(at + 1, batch, upstreams, random));
    const kept = await runBatch(caller, planned, violations);
    totals.calls += size;
    totals.cancels += kept.filter(({ cancelledAt }) => cancelledAt !== undefined).length;
    for (const { prefix, isOrdered } of upstreams) {
      const events = await ledgerOf(caller, prefix, violations);
      const own = kept.filter((one) => one.prefix === prefix);
      violations.push(...judge(prefix, isOrdered, own, events));
      for (const taken of delays(own, events)) milliseconds.push(taken);
      totals.met += events.filter(({ what }) => what === 'cancelled').length;
    }
  }
  return { violations, milliseconds: milliseconds.sort((a, b) => a - b), ...totals };
}

function plan(id: number, batch: number, upstreams: readonly HoldingUpstream[], random: Random): Planned {
  const cancel = random.pick([
    'never',
    'at once',
    'next turn',
    'later',
    'later',
    'at progress',
    'when answered',
  ] as const);
  const mark = `${String(batch)}/${String(id)}`;
  const needsAnswer = cancel === 'never' || cancel === 'when answered';
  // Some never end by themselves, some end around the time of the cancellation, some answer in spite of it.
  const ms = needsAnswer || random.chance(0.5) ? random.below(12) : undefined;
  return {
    id,
    mark,
    prefix: random.pick(upstreams).prefix,
    args: { mark, ...(ms !== undefined && { ms }), isDeaf: random.chance(0.3) },
    wantsProgress: cancel === 'at progress' || random.chance(0.3),
    cancel,
    laterMs: random.below(15),
  };
}

async function runBatch(
  caller: CancellingCaller,
  planned: readonly Planned[],
  violations: string[],
): Promise<readonly Kept[]> {
  const kept = await Promise.all(planned.map((one) => runOne(caller, one, violations)));
  if (caller.canCancelAnything) {
    // Ids that are finished, and ids that never were: nobody hears of them.
    for (const { id, cancel } of kept) if (cancel === 'when answered') caller.cancel(id);
    caller.cancel(77_777);
  }
  await caller.settle();
  return kept;
}

/** Resolves when the call is answered and nothing more will be sent about it. */
function runOne(caller: CancellingCaller, one: Planned, violations: string[]): Promise<Kept> {
  const kept: Kept = { ...one, answers: [], cancelledAt: undefined };
  const { id, cancel } = one;
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      violations.push(`${one.mark} (${cancel}): neither answered nor cancelled`);
      resolve(kept);
    }, 20_000);
    const done = (): void => {
      clearTimeout(timer);
      resolve(kept);
    };
    const stop = (): void => {
      if (kept.cancelledAt === undefined) {
        kept.cancelledAt = Date.now();
        caller.cancel(id);
      }
      done();
    };
    if (cancel === 'at once') kept.cancelledAt = Date.now();
    caller.start({
      ...one,
      tool: `${one.prefix}hold`,
      isCancelledAtOnce: cancel === 'at once',
      heard(message) {
        if (message.method !== undefined) return cancel === 'at progress' ? stop() : undefined;
        kept.answers.push(message);
        // Where a cancellation is on its way, its id may not be used again before it has left.
        if (cancel !== 'later' && cancel !== 'next turn') done();
      },
    });
    if (cancel === 'at once') done();
    else if (cancel === 'next turn') setImmediate(stop);
    else if (cancel === 'later') setTimeout(stop, one.laterMs);
  });
}

/** What an upstream saw since the last time, once nothing is open there any more. */
async function ledgerOf(
  caller: CancellingCaller,
  prefix: string,
  violations: string[],
): Promise<readonly Event[]> {
  const until = performance.now() + settleMs;
  for (;;) {
    const { open } = await askLedger(caller, prefix, false);
    if (open === 0) break;
    if (performance.now() > until) {
      violations.push(`${prefix}: ${String(open)} calls stayed open`);
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  // Asked once more: what the upstream answered before is with the client by now.
  return (await askLedger(caller, prefix, true)).ledger;
}

async function askLedger(
  caller: CancellingCaller,
  prefix: string,
  isLast: boolean,
): Promise<{ readonly open: number; readonly ledger: readonly Event[] }> {
  const message = await caller.ask(`${prefix}ledger`, { isLast });
  return JSON.parse(textOfResult(message)) as { readonly open: number; readonly ledger: readonly Event[] };
}

function judge(
  prefix: string,
  isOrdered: boolean,
  kept: readonly Kept[],
  events: readonly Event[],
): string[] {
  const byMark = new Map(kept.map((one) => [one.mark, one]));
  const strays = events.filter(({ mark, what }) => {
    // Said before its call set out, or said again: a call that was missed by it shows as one that stayed open.
    if (!isOrdered && mark === null && what === 'late-cancel') return false;
    return mark === null || !byMark.has(mark);
  });
  const unasked = events.filter(
    ({ what, mark }) => isCancel(what) && mark !== null && byMark.get(mark)?.cancelledAt === undefined,
  );
  return [
    ...strays.map(({ what, id }) => `${prefix}: ${what} of ${String(id)}, which is not a call of this batch`),
    ...unasked.map(({ mark }) => `${prefix}: ${String(mark)} was cancelled by nobody`),
    ...kept.flatMap((one) =>
      judgeOne(
        one,
        isOrdered,
        events.filter(({ mark }) => mark === one.mark),
      ),
    ),
  ];
}

function isCancel(what: Event['what']): boolean {
  return what === 'cancelled' || what === 'late-cancel';
}

function judgeOne(one: Kept, isOrdered: boolean, events: readonly Event[]): string[] {
  const has = (what: Event['what']): boolean => events.some((event) => event.what === what);
  const found: string[] = [];
  const say = (what: string): void => void found.push(`${one.prefix}${one.mark} (${one.cancel}): ${what}`);
  if (one.answers.length > 1) say(`${String(one.answers.length)} answers`);
  for (const answer of one.answers) {
    if (textOfResult(answer) !== `${one.mark}: held`) say(`answered with ${JSON.stringify(answer)}`);
  }
  if (one.cancelledAt === undefined && one.answers.length === 0) say('no answer');
  if (has('cancelled') && one.answers.length > 0) say('answered after its cancellation');
  const told = events.filter(({ what }) => isCancel(what)).length;
  if (one.cancelledAt !== undefined && has('began') && !has('ended') && told === 0) {
    say('the upstream was not told');
  }
  if (told > 1 && isOrdered) say('cancelled twice');
  return found;
}

function delays(kept: readonly Kept[], events: readonly Event[]): readonly number[] {
  return kept.flatMap(({ mark, cancelledAt, cancel }) => {
    const heard = events.find((event) => event.mark === mark && event.what === 'cancelled');
    return cancelledAt === undefined || heard === undefined || cancel === 'at once'
      ? []
      : [heard.at - cancelledAt];
  });
}
