import { stackOf } from '../../lib/error-message.js';
import { valueOfExpression } from '../expression/evaluate.js';
import type { Hooks, Workflow } from '../grammar/workflow.js';
import { crowded } from './crowded.js';
import { execute } from './execute.js';
import { createReader, type Frame } from './frame.js';
import { runHooks } from './hooks.js';
import type { Journal, RunEnd, RunTotals } from './journal.js';
import { Cancelled, type StepResult } from './result.js';
import type { RunParts } from './run-parts.js';
import { notifyPlugins } from './notify-plugins.js';
import type { Transcript } from './transcript.js';
import { walk, type WalkEnd } from './walk.js';

export interface RunOrder {
  readonly runId: string;
  readonly workflow: Workflow;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly journal: Journal;
  readonly transcript: Transcript;
  readonly isResumed: boolean;
  readonly signal: AbortSignal;
  /** Runs only this step, with the given results of other states. */
  readonly only?: { readonly step: string; readonly states: ReadonlyMap<string, StepResult> };
}

export interface RunResult extends RunEnd {
  readonly runId: string;
  /** The latest result of each state, in the order they finished. */
  readonly states: ReadonlyMap<string, StepResult>;
  readonly totals: RunTotals;
}

/** A run with more steps is assumed to be an endless loop. */
const mostSteps = 100_000;

/** Runs a workflow from its first state, or from the end of the journal. Step errors never make it throw. */
export async function runWorkflow(order: RunOrder, parts: RunParts): Promise<RunResult> {
  const { runId, workflow, journal, transcript, signal } = order;
  const startedAt = parts.now();
  crowded(signal);
  const frame = createFrame(order, parts, startedAt);
  const span = parts.openSpan?.(
    'workflow.run',
    { 'workflow.name': workflow.name, 'run.id': runId },
    undefined,
  );
  parts.onEvent({ kind: 'run-started', run: runId, name: workflow.name, isResumed: order.isResumed });
  transcript.write({
    type: 'run.started',
    payload: { name: workflow.name, inputs: order.inputs, resumed: order.isResumed },
  });
  const facts = { workflow_id: runId, workflow_name: workflow.name };
  notifyPlugins(parts, 'workflow.started', facts, { run: runId, name: workflow.name });
  await hook('workflow_start', frame, signal);
  const end = await attempt(order, frame, span?.trace);
  await hook(hookOf(end), frame, new AbortController().signal, end);
  const outputs = end.status === 'completed' ? outputsOf(frame, order.only?.step) : undefined;
  const { message, code, exitCode, status } = end;
  const planned: RunEnd = {
    status,
    exitCode,
    at: new Date(parts.now()).toISOString(),
    ms: parts.now() - startedAt,
    ...(message !== undefined && { message }),
    ...(code !== undefined && { code }),
    ...(outputs && { outputs }),
  };
  const result = await kept(planned, journal, transcript);
  const isDone = result.status === 'completed';
  notifyPlugins(
    parts,
    isDone ? 'workflow.completed' : 'workflow.failed',
    {
      ...facts,
      duration: `${String(Math.round(result.ms))}ms`,
      ...(!isDone && { error: result.message ?? result.status }),
    },
    { run: runId, name: workflow.name, status: result.status },
  );
  span?.end(result.code);
  return { ...result, runId, states: frame.states, totals: totalsOf(frame) };
}

/** Stopped steps are not in the journal: they will run again. */
function totalsOf({ journal, states }: Frame): RunTotals {
  const totals = journal.totals();
  const stopped = [...states.values()].filter(({ status }) => status === 'cancelled').length;
  return { ...totals, steps: totals.steps + stopped };
}

/** A run whose end cannot be recorded has failed, even if its steps succeeded. */
async function kept(end: RunEnd, journal: Journal, transcript: Transcript): Promise<RunEnd> {
  try {
    await journal.end(end);
    transcript.write({ type: 'run.completed', payload: { ...end } });
    return end;
  } catch (error) {
    return { ...end, ...brokenBy(error) };
  }
}

/** A write error means the disk is full or gone; any other error is a bug. */
function brokenBy(error: unknown): Omit<WalkEnd, 'step'> {
  const isSystems = error instanceof Error && 'syscall' in error;
  if (isSystems) {
    const message = `Cannot write the run record: ${error.message}`;
    return { status: 'failed', code: 'SYSTEM.IO.WRITE_FAILED', message, exitCode: 4 };
  }
  const message = stackOf(error);
  return { status: 'failed', code: 'SYSTEM.INTERNAL.UNMAPPED', message, exitCode: 4 };
}

type AnyEnd = WalkEnd | (Omit<WalkEnd, 'status'> & { readonly status: 'cancelled' });

function createFrame(
  { runId, workflow, inputs, journal, transcript, only }: RunOrder,
  parts: RunParts,
  startedAt: number,
): Frame {
  let children = 0;
  return {
    parts,
    workflow,
    runId,
    inputs,
    states: new Map(only?.states),
    journal,
    transcript,
    startedAt,
    prefix: '',
    trail: [workflow.source.file],
    budget: { left: mostSteps },
    nextChild: () => (children += 1),
    execute,
  };
}

async function attempt(
  { signal, only }: RunOrder,
  frame: Frame,
  trace: Parameters<typeof walk>[1]['trace'],
): Promise<AnyEnd> {
  try {
    if (only !== undefined) return await runOnly(only.step, frame, signal, trace);
    return await walk(frame, { signal, ...(trace && { trace }) });
  } catch (error) {
    if (signal.aborted || error instanceof Cancelled) {
      return {
        status: 'cancelled',
        code: 'EXECUTION.WORKFLOW.CANCELLED',
        message: 'The run was stopped.',
        exitCode: 130,
      };
    }
    return brokenBy(error);
  }
}

async function runOnly(
  name: string,
  frame: Frame,
  signal: AbortSignal,
  trace: Parameters<typeof walk>[1]['trace'],
): Promise<WalkEnd> {
  const step = frame.workflow.steps.get(name);
  if (step === undefined)
    return {
      status: 'failed',
      code: 'WORKFLOW.VALIDATION.MISSING_STATE',
      message: `There is no state ${name}.`,
      exitCode: 2,
      step: name,
    };
  const { result } = await execute(step, frame, {
    key: name,
    path: name,
    signal,
    isBranch: true,
    ...(trace && { trace }),
  });
  if (result.status === 'completed') return { status: 'completed', exitCode: 0 };
  const code = result.error?.code ?? 'EXECUTION.WORKFLOW.FAILED';
  return { status: 'failed', code, message: result.error?.message ?? '', exitCode: 3, step: name };
}

function hookOf({ status }: AnyEnd): keyof Hooks {
  if (status === 'completed') return 'workflow_end';
  return status === 'failed' ? 'workflow_error' : 'workflow_cancel';
}

async function hook(name: keyof Hooks, frame: Frame, signal: AbortSignal, end?: AnyEnd): Promise<void> {
  const actions = frame.workflow.hooks[name];
  if (actions === undefined) return;
  const { message = '', step = '', code = '' } = end ?? {};
  const error = {
    message,
    state: step,
    exitCode: frame.states.get(step)?.exitCode ?? end?.exitCode ?? 0,
    type: code,
  };
  const read = () => createReader(frame, '', undefined, name === 'workflow_error' ? { error } : {});
  await runHooks(actions, read, frame, { path: name, signal });
}

/** Outputs of a single step: the workflow outputs would need the other steps. */
function outputsOf(frame: Frame, only: string | undefined): Readonly<Record<string, unknown>> {
  if (only !== undefined) return { [only]: frame.states.get(only)?.output ?? '' };
  const { names } = createReader(frame, '', undefined);
  const value = (from: string): unknown => {
    try {
      return valueOfExpression(from, names) ?? null;
    } catch {
      // `validate` reports it; the run itself succeeded.
      return null;
    }
  };
  return Object.fromEntries(frame.workflow.outputs.map(({ name, from }) => [name, value(from)]));
}
