import { splitDotted, type StepOf } from '../../grammar/workflow.js';
import { createReader, type Frame, type Place } from '../frame.js';
import { type Done, StepFailure } from '../result.js';

/** Runs a step whose type comes from a plugin. */
export async function runPluginStep(step: StepOf<'plugin'>, frame: Frame, place: Place): Promise<Done> {
  const { parts, workflow, inputs } = frame;
  const parsed = splitDotted(step.type, workflow.plugins);
  if (parsed === undefined)
    throw new StepFailure(
      'WORKFLOW.PARSE.INVALID_VALUE',
      'A plugin step type must have the form plugin.type.',
    );
  await requireAccess(step, parsed, frame);
  const config = createReader(frame, step.name, place.loop).data(step.own.config ?? {});
  const answer = await parts.plugins.runStep(
    {
      plugin: parsed.plugin,
      stepType: parsed.rest,
      stepName: step.name,
      config:
        typeof config === 'object' && config !== null ? (config as Readonly<Record<string, unknown>>) : {},
      inputs,
    },
    place.signal,
  );
  if (!answer.ok) throw new StepFailure('EXECUTION.PLUGIN.FAILED', answer.fault.message);
  const { output, data, exitCode } = answer.value;
  const done: Done = { output, response: data, exitCode };
  if (exitCode !== 0)
    throw new StepFailure(
      'EXECUTION.PLUGIN.FAILED',
      `${step.type} exited with status ${String(exitCode)}.`,
      done,
    );
  return done;
}

async function requireAccess(
  { type }: StepOf<'plugin'>,
  { plugin, rest }: { readonly plugin: string; readonly rest: string },
  { parts }: Frame,
): Promise<void> {
  if (parts.mayRunStep === undefined || (await parts.mayRunStep(plugin, rest))) return;
  const message = `${type} is not available in this run: the caller that started the run may not call ${plugin}_${rest}.`;
  const next = `grant ${plugin}_${rest} to the caller that started the run, with --force: only workflows can use it`;
  throw new StepFailure('EXECUTION.PLUGIN.FAILED', message, {}, next);
}
