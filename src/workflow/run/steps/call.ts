import { join } from 'node:path';
import { valueOfExpression } from '../../expression/evaluate.js';
import { hasErrors } from '../../finding.js';
import { readInputs } from '../../grammar/inputs.js';
import type { StepOf, Workflow } from '../../grammar/workflow.js';
import { deepestCall } from '../../validate/calls.js';
import { createReader, failing, type Frame, type Place } from '../frame.js';
import { type Done, StepFailure } from '../result.js';
import { openTranscript } from '../transcript.js';
import { walk } from '../walk.js';

/** Runs another workflow in its own frame. It sees only its inputs. */
export async function runCall(step: StepOf<'call_workflow'>, frame: Frame, place: Place): Promise<Done> {
  const { parts } = frame;
  const { workflow, file } = load(step, frame);
  const inputs = inputsFor(step, workflow, frame, place);
  const childId = `${frame.runId}.${String(frame.nextChild())}`;
  frame.transcript.write({
    type: 'step.call_workflow.started',
    path: place.path,
    childRun: childId,
    payload: { name: step.name, kind: step.kind },
  });
  const transcript = openTranscript({
    file: join(parts.folder, `transcript-${childId}.jsonl`),
    runId: childId,
    parentRunId: frame.runId,
    redact: parts.redact,
    now: parts.now,
  });
  try {
    const child: Frame = {
      ...frame,
      workflow,
      runId: childId,
      inputs,
      states: new Map(),
      transcript,
      startedAt: parts.now(),
      prefix: `${place.key}/`,
      trail: [...frame.trail, file],
    };
    const end = await walk(child, {
      signal: place.signal,
      path: place.path,
      ...(place.trace && { trace: place.trace }),
    });
    const done = doneOf(step, child, end.message);
    if (end.status === 'completed') return done;
    throw new StepFailure('EXECUTION.CALL.FAILED', `${workflow.name} failed: ${end.message ?? ''}`, {
      ...done,
      exitCode: end.exitCode,
    });
  } finally {
    transcript.close();
    frame.transcript.write({
      type: 'step.call_workflow.completed',
      path: place.path,
      childRun: childId,
      payload: { name: step.name, kind: step.kind },
    });
  }
}

function load(
  { own, source }: StepOf<'call_workflow'>,
  frame: Frame,
): { readonly workflow: Workflow; readonly file: string } {
  const name = own.workflow ?? '';
  const file = frame.parts.library.find(name, source.file);
  if (file === undefined)
    throw new StepFailure(
      'WORKFLOW.VALIDATION.UNDEFINED_SUBWORKFLOW',
      `There is no workflow ${JSON.stringify(name)}.`,
    );
  if (frame.trail.includes(file))
    throw new StepFailure(
      'WORKFLOW.VALIDATION.CIRCULAR_CALL',
      `${name} is already running: workflows call each other in a cycle.`,
    );
  if (frame.trail.length > deepestCall)
    throw new StepFailure(
      'WORKFLOW.VALIDATION.NESTING_TOO_DEEP',
      `Workflow calls are nested more than ${deepestCall} levels deep.`,
    );
  const { workflow, findings } = frame.parts.library.load(file);
  const [error] = findings.filter(({ severity }) => severity === 'error');
  if (hasErrors(findings) && error !== undefined)
    throw new StepFailure(error.code, `${name} has errors: ${error.message}`);
  return { workflow, file };
}

function inputsFor(
  step: StepOf<'call_workflow'>,
  called: Workflow,
  frame: Frame,
  place: Place,
): Readonly<Record<string, unknown>> {
  const given = createReader(frame, step.name, place.loop).data(step.own.inputs ?? {});
  const { values, problems, missing } = readInputs(
    called.inputs,
    given as Readonly<Record<string, unknown>>,
    frame.parts.library.cwd,
  );
  const all = [...problems, ...missing.map(({ name }) => `Input ${JSON.stringify(name)} is missing.`)];
  if (all.length > 0) throw new StepFailure('USER.INPUT.VALIDATION_FAILED', all.join(' '));
  return values;
}

/** Resolves an output by name, or an expression over the states of the called workflow. */
function doneOf({ own }: StepOf<'call_workflow'>, child: Frame, message: string | undefined): Done {
  const { names } = createReader(child, '', undefined);
  const value = (from: string): unknown => {
    const declared = child.workflow.outputs.find(({ name }) => name === from);
    return failing(() => valueOfExpression(declared?.from ?? from, names)) ?? null;
  };
  const wanted = own.outputs ?? Object.fromEntries(child.workflow.outputs.map(({ name }) => [name, name]));
  const response = Object.fromEntries(Object.entries(wanted).map(([name, from]) => [name, value(from)]));
  return { response, output: Object.keys(response).length > 0 ? JSON.stringify(response) : (message ?? '') };
}
