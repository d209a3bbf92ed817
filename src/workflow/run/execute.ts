import type { Step } from '../grammar/workflow.js';
import { crowded } from './crowded.js';
import { createReader, type Executed, type Frame, type Place } from './frame.js';
import { runHooks } from './hooks.js';
import type { Way } from './journal.js';
import { Cancelled, type Done, StepFailure, type StepResult } from './result.js';
import { nextOf } from './routes.js';
import { attemptsOf, timeoutOf, waitBefore } from './retries.js';
import { runKind } from './steps/index.js';
import { notifyPlugins } from './notify-plugins.js';

/** Runs one step with hooks, retries, timeout and record, unless the journal shows that it is done. */
export async function execute(step: Step, frame: Frame, place: Place): Promise<Executed> {
  const { parts, journal, states } = frame;
  place.signal.throwIfAborted();
  const known = journal.recorded(place.key);
  if (known !== undefined) {
    for (const { name, result } of journal.below(place.key)) states.set(name, result);
    states.set(step.name, known.result);
    parts.onEvent({ kind: 'step-ended', path: place.path, result: known.result, isReplayed: true });
    return {
      result: known.result,
      next: isWayOn(known.next, frame) ? { way: known.next } : nextOf(step, known.result, frame, place),
    };
  }
  frame.budget.left -= 1;
  if (frame.budget.left < 0)
    throw new StepFailure(
      'EXECUTION.WORKFLOW.TOO_MANY_STEPS',
      'The run exceeded the maximum number of steps.',
    );
  const span = parts.openSpan?.(
    `workflow.step.${step.name}`,
    { 'step.name': step.name, 'step.type': step.kind, 'step.path': place.path },
    place.trace,
  );
  const inside: Place = span === undefined ? place : { ...place, trace: span.trace };
  reportStart(step, frame, place);
  const result = await attempted(step, frame, inside);
  states.set(step.name, result);
  if (result.status === 'cancelled') {
    span?.end('cancelled');
    reportEnd(step, result, frame, place);
    throw new Cancelled('The step was stopped.');
  }
  await runHooks(step.common.hooks?.post, () => createReader(frame, step.name, place.loop), frame, place);
  const next = nextOf(step, result, frame, place);
  await journal.record(place.key, step.name, result, next.way);
  span?.end(result.error?.code);
  reportEnd(step, result, frame, place);
  return { result, next };
}

/** If the file changed before the run was resumed, the state may no longer exist. */
function isWayOn(way: Way | undefined, { workflow }: Frame): way is Way {
  return way !== undefined && workflow.steps.has(way.to);
}

async function attempted(step: Step, frame: Frame, place: Place): Promise<StepResult> {
  const { parts } = frame;
  const startedAt = new Date(parts.now()).toISOString();
  const started = performance.now();
  const most = attemptsOf(step);
  for (let attempt = 1; ; attempt += 1) {
    parts.onEvent({ kind: 'step-started', path: place.path, type: step.type, attempt });
    const once = await attemptOnce(step, frame, place);
    const ms = performance.now() - started;
    const result: StepResult = { ...once, path: place.path, attempts: attempt, startedAt, ms };
    const wait = attempt < most ? waitBefore(step, result, attempt, Math.random()) : undefined;
    if (wait === undefined) return result;
    parts.onEvent({
      kind: 'log',
      path: place.path,
      text: `retrying in ${Math.round(wait)} ms: ${result.error?.message ?? ''}`,
      isWarning: true,
    });
    await pause(wait, place.signal);
  }
}

type Once = Omit<StepResult, 'attempts' | 'startedAt' | 'ms' | 'path'>;

async function attemptOnce(step: Step, frame: Frame, place: Place): Promise<Once> {
  const limit = timeoutOf(step);
  const clock = limit === undefined ? undefined : new AbortController();
  const timer = clock && setTimeout(() => clock.abort(), limit);
  const signal = clock ? crowded(AbortSignal.any([place.signal, clock.signal])) : place.signal;
  try {
    checkDependencies(step, frame);
    await runHooks(step.common.hooks?.pre, () => createReader(frame, step.name, place.loop), frame, place);
    const done = await runKind(step, frame, { ...place, signal });
    if (signal.aborted) throw new Cancelled('The step was stopped.');
    return { ...plain(done), status: 'completed' };
  } catch (error) {
    if (place.signal.aborted) return { ...plain(doneOf(error)), status: 'cancelled' };
    if (clock?.signal.aborted === true) {
      const message = `${step.name} exceeded its time limit of ${String((limit ?? 0) / 1000)} s.`;
      return failed(new StepFailure('EXECUTION.COMMAND.TIMEOUT', message, doneOf(error)));
    }
    if (error instanceof StepFailure) return failed(error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function doneOf(error: unknown): Done {
  return error instanceof StepFailure ? error.done : {};
}

function plain({
  output = '',
  stderr = '',
  exitCode = 0,
  response = {},
  ...more
}: Done): Omit<Once, 'status'> {
  return { output, stderr, exitCode, response, ...more };
}

function failed({ code, message, done, next }: StepFailure): Once {
  const error = { code, message, ...(next !== undefined && { next }) };
  return { ...plain({ exitCode: 1, ...done }), status: 'failed', error };
}

function checkDependencies({ common, name }: Step, { states }: Frame): void {
  const missing = (common.depends_on ?? []).find((other) => states.get(other)?.status !== 'completed');
  if (missing === undefined) return;
  throw new StepFailure(
    'EXECUTION.STEP.DEPENDENCY',
    `${name} depends on ${missing}, which has not finished.`,
  );
}

function reportStart(step: Step, { transcript, parts, runId }: Frame, { path, loop }: Place): void {
  const { name, kind } = step;
  transcript.write({
    type: 'step.started',
    path,
    ...(loop && { iteration: loop.index }),
    payload: { name, kind },
  });
  notifyPlugins(parts, 'step.started', { workflow_id: runId, step_name: name }, { name, path });
}

function reportEnd(
  step: Step,
  result: StepResult,
  { transcript, parts, runId }: Frame,
  { path, loop }: Place,
): void {
  const { name, kind } = step;
  const { status, error, exitCode, output, usage, attempts } = result;
  transcript.write({
    type: 'step.completed',
    path,
    ...(loop && { iteration: loop.index }),
    payload: {
      name,
      kind,
      result: { status, exit_code: exitCode, output, attempts, ...(usage && { usage }) },
      ...(error && { error }),
    },
  });
  const type = status === 'completed' ? 'step.completed' : 'step.failed';
  const facts = { workflow_id: runId, step_name: name, ...(error && { error: error.message }) };
  notifyPlugins(parts, type, facts, { name, path, status });
  parts.onEvent({ kind: 'step-ended', path, result, isReplayed: false });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
