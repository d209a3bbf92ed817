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
