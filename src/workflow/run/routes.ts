import type { Step } from '../grammar/workflow.js';
import { createReader, type Frame, type Next, type Place } from './frame.js';
import type { StepResult } from './result.js';

/** Checks conditions first, then `on_success` and `on_failure`. */
export function nextOf(step: Step, result: StepResult, frame: Frame, place: Place): Next {
  if (place.isBranch === true || step.kind === 'terminal') return {};
  const reader = createReader(frame, step.name, place.loop);
  const {
    transitions = [],
    on_success: onSuccess,
    on_failure: onFailure,
    continue_on_error: goesOn,
  } = step.common;
  if (result.leftTo !== undefined) return { way: { to: result.leftTo, isChosen: true } };
  for (const { when, goto } of transitions) {
    if (goto !== undefined && (when === undefined || reader.holds(when)))
      return { way: { to: goto, isChosen: true } };
  }
  const isLoop = step.kind === 'for_each' || step.kind === 'while';
  const after = isLoop ? (step.own.on_complete ?? onSuccess) : onSuccess;
  const isGood = result.status === 'completed' || goesOn === true;
  if (isGood) return after === undefined ? {} : { way: { to: after } };
  if (typeof onFailure === 'string') return { way: { to: onFailure } };
  if (onFailure === undefined) return {};
  return { failure: { message: reader.text(onFailure.message ?? ''), status: onFailure.status ?? 1 } };
}
