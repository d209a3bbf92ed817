import type { RunEvent, StepResult } from '../../../features/workflows/index.js';
import { printable } from '../../../config/index.js';
import { refusedText, retryText, toolLabel } from './agent-text.js';
import { elapsed } from '../../terminal/elapsed.js';
import { largest } from '../../terminal/largest.js';
import type { Output } from '../../terminal/output.js';
import { cutTo, padded, widthOf } from '../../terminal/text-width.js';

/** Live view of a run on a terminal. */
export interface LiveView {
  take(event: RunEvent): void;
  lines(): readonly string[];
}

interface Shown {
  readonly path: string;
  readonly startedAt: number;
  ended?: StepResult;
  isReplayed: boolean;
  /** What its agent is doing now. */
  doing: string;
  tokens: number;
}

/** Limits for finished and running steps, because a view higher than the terminal would scroll. */
const mostDone = 8;
const mostRunning = 10;
/** Share of the terminal width for step names, to leave room for details. */
const nameShare = 0.35;

export function createLiveView(output: Output): LiveView {
  const steps = new Map<string, Shown>();
  let started = performance.now();
  let title = '';
  return {
    take(event) {
      if (event.kind === 'run-started') {
        title = `${event.name}  ${event.run}`;
        started = performance.now();
      } else if (event.kind === 'step-started') steps.set(event.path, newStep(event.path));
      else if (event.kind === 'step-ended') {
        const { path, result, isReplayed } = event;
        const known = steps.get(path) ?? newStep(path);
        const { usage } = result;
        const tokens = usage === undefined ? known.tokens : usage.input + usage.output;
        // Move to the end of the list, so the steps that ended last stay visible.
        steps.delete(path);
        steps.set(path, { ...known, ended: result, isReplayed, tokens });
      } else if (event.kind === 'agent') takeAgent(steps.get(event.path), event.event);
    },
    // Show nothing before the run starts, because it may never start.
    lines: () =>
      title === '' && steps.size === 0
        ? []
        : pictureLines([...steps.values()], title, performance.now() - started, output),
  };
}

function newStep(path: string): Shown {
  return { path, startedAt: performance.now(), doing: '', tokens: 0, isReplayed: false };
}

function takeAgent(
  step: Shown | undefined,
  event: Extract<RunEvent, { readonly kind: 'agent' }>['event'],
): void {
  if (step === undefined) return;
  if (event.kind === 'call') step.doing = `calling ${toolLabel(event)}`;
  else if (event.kind === 'result') step.doing = 'thinking';
  else if (event.kind === 'text') step.doing = 'writing';
  else if (event.kind === 'retry') step.doing = retryText(event);
  else if (event.kind === 'waiting') step.doing = 'waiting for the model';
  else if (event.kind === 'usage') step.tokens = event.usage.input + event.usage.output;
}

/** One line: a sign, the step name, the time and details. */
type Row = readonly [sign: string, name: string, time: string, more: string];

function pictureLines(all: readonly Shown[], title: string, ms: number, output: Output): readonly string[] {
  const done = all.filter(({ ended }) => ended !== undefined);
  const running = all.filter(({ ended }) => ended === undefined);
  const kept = inSight(done);
  const hidden = done.length - kept.length;
  const tokens = all.reduce((sum, step) => sum + step.tokens, 0);
  const rows = [
    ...kept.map((step) => doneRow(step, output)),
    ...running.slice(0, mostRunning).map((step) => runningRow(step, running, output)),
  ];
  const signs = largest(rows.map(([sign]) => sign.length));
  const names = Math.min(
    Math.floor(output.width * nameShare),
    largest(rows.map(([, name]) => widthOf(name, output.width))),
  );
  const times = largest(rows.map(([, , time]) => time.length));
  const line = ([sign, name, time, more]: Row, step: Shown | undefined): string =>
    `  ${painted(sign.padEnd(signs), step, output)} ${padded(cutTo(name, names), names)}  ${time.padStart(times)}${more === '' ? '' : `  ${more}`}`;
  const shown = [...kept, ...running.slice(0, mostRunning)];
  return [
    output.paint('bold', printable(title)),
    ...(hidden > 0
      ? [output.paint('dim', `  and ${String(hidden)} earlier ${hidden === 1 ? 'step' : 'steps'}`)]
      : []),
    ...rows.map((row, at) => line(row, shown[at])),
    ...(running.length > mostRunning
      ? [output.paint('dim', `  and ${String(running.length - mostRunning)} more`)]
      : []),
    output.paint('dim', `${elapsed(ms)}${tokens > 0 ? `, ${String(tokens)} tokens` : ''}`),
  ];
}

/** The latest steps, plus earlier failures, which are most likely of interest. */
function inSight(done: readonly Shown[]): readonly Shown[] {
  const bad = done.filter(({ ended }) => ended?.status === 'failed').slice(-mostDone / 2);
  const latest = done.filter((step) => !bad.includes(step)).slice(-(mostDone - bad.length));
  return done.filter((step) => bad.includes(step) || latest.includes(step));
}

function doneRow({ path, ended, tokens, isReplayed }: Shown, { signs }: Output): Row {
  const isGood = ended?.status === 'completed';
  const sign = isGood ? signs.done : ended?.status === 'cancelled' ? signs.stopped : signs.failed;
  const words = [
    ...(isReplayed ? ['earlier'] : []),
    ...(tokens > 0 ? [`${String(tokens)} tokens`] : []),
    ...(ended?.refused === undefined ? [] : [printable(refusedText(ended))]),
    ...(ended?.error === undefined ? [] : [printable(ended.error.message)]),
  ];
  return [sign, printable(path), elapsed(ended?.ms ?? 0), words.join('  ')];
}

/** Indented below its parent step, if that is running too. */
function runningRow(
  { path, startedAt, tokens, doing }: Shown,
  running: readonly Shown[],
  { signs }: Output,
): Row {
  const around = running.filter(
    (other) => path.startsWith(`${other.path}.`) || path.startsWith(`${other.path}[`),
  );
  const parent = around.at(-1)?.path ?? '';
  const own = parent === '' ? path : path.slice(parent.length).replace(/^\./, '');
  const words = [
    ...(tokens > 0 ? [`${String(tokens)} tokens`] : []),
    ...(doing === '' ? [] : [printable(doing)]),
  ];
  return [
    signs.going,
    `${'  '.repeat(around.length)}${printable(own)}`,
    elapsed(performance.now() - startedAt),
    words.join('  '),
  ];
}

function painted(sign: string, step: Shown | undefined, output: Output): string {
  if (step?.ended === undefined) return output.paint('yellow', sign);
  return output.paint(step.ended.status === 'completed' ? 'green' : 'red', sign);
}
