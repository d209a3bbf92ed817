import type { Trace } from '../../core/index.js';
import { exitOfCode, type WorkflowCode } from '../codes.js';
import type { Step } from '../grammar/workflow.js';
import { createReader, type Frame } from './frame.js';
import { StepFailure, type StepResult } from './result.js';

export interface WalkEnd {
  readonly status: 'completed' | 'failed';
  readonly message?: string;
  readonly code?: WorkflowCode;
  readonly exitCode: number;
  /** The step that failed. */
  readonly step?: string;
}

export interface Walk {
  readonly signal: AbortSignal;
  /** Path of the step that called this workflow. */
  readonly path?: string;
  readonly trace?: Trace;
}

/** Goes from state to state until a terminal state or a dead end. Throws when stopped. */
export async function walk(frame: Frame, { signal, path, trace }: Walk): Promise<WalkEnd> {
  const { workflow, prefix } = frame;
  const visits = new Map<string, number>();
  let name = workflow.initial ?? '';
  for (;;) {
    const step = workflow.steps.get(name);
    if (step === undefined)
      return failed('WORKFLOW.VALIDATION.MISSING_STATE', `There is no state ${JSON.stringify(name)}.`, name);
    if (step.kind === 'terminal') return terminal(step, frame);
    const visit = (visits.get(name) ?? 0) + 1;
    visits.set(name, visit);
    const key = `${prefix}${name}${visit === 1 ? '' : `~${String(visit)}`}`;
    const shown = path === undefined ? name : `${path}.${name}`;
    try {
      const { result, next } = await frame.execute(step, frame, {
        key,
        path: shown,
        signal,
        ...(trace && { trace }),
      });
      if (next.failure !== undefined) return ended(next.failure, step, result);
      if (next.way === undefined) return stuck(step, result);
      name = next.way.to;
    } catch (error) {
      if (error instanceof StepFailure) return failed(error.code, error.message, step.name);
      throw error;
    }
  }
}

function terminal(step: Extract<Step, { readonly kind: 'terminal' }>, frame: Frame): WalkEnd {
  const { status, message } = step.own;
  const said = message === undefined ? undefined : shownMessage(message, frame);
  if (status !== 'failure')
    return { status: 'completed', exitCode: 0, ...(said !== undefined && { message: said }) };
  return { ...failed('EXECUTION.WORKFLOW.FAILED', said ?? `The workflow ended in ${step.name}.`, step.name) };
}

/** A message that cannot be filled in is shown as written. */
function shownMessage(message: string, frame: Frame): string {
  try {
    return createReader(frame, '', undefined).text(message);
  } catch (error) {
    if (error instanceof StepFailure) return message;
    throw error;
  }
}

function ended(
  failure: { readonly message: string; readonly status: number },
  { name }: Step,
  { error }: StepResult,
): WalkEnd {
  return {
    status: 'failed',
    message: failure.message,
    code: error?.code ?? 'EXECUTION.WORKFLOW.FAILED',
    exitCode: failure.status,
    step: name,
  };
}

function stuck({ name }: Step, { status, error }: StepResult): WalkEnd {
  if (status === 'completed')
    return failed('WORKFLOW.VALIDATION.INVALID_TRANSITION', `${name} succeeded but has no next state.`, name);
  return failed(error?.code ?? 'EXECUTION.WORKFLOW.FAILED', `${name}: ${error?.message ?? 'failed'}`, name);
}

function failed(code: WorkflowCode, message: string, step: string): WalkEnd {
  return { status: 'failed', code, message, exitCode: exitOfCode(code), step };
}
