import { isHostFixed } from '../../endpoint.js';
import { type BuiltinOperation, operationInputs } from '../../grammar/builtin-operations.js';
import type { StepOf } from '../../grammar/workflow.js';
import { failing, type Reader } from '../frame.js';
import { StepFailure } from '../result.js';
import type { RunParts } from '../run-parts.js';

/** Fills in the inputs of a built-in operation and checks that the file fixes the target host. */
export function builtinArguments(
  step: StepOf<'operation'>,
  { inputs: known, endpoint }: BuiltinOperation,
  reader: Reader,
  { isForAgent }: Pick<RunParts, 'isForAgent'>,
): Readonly<Record<string, unknown>> {
  const { operation = '' } = step.own;
  const given = operationInputs(step);
  if (given === undefined)
    throw new StepFailure('EXECUTION.OPERATION.FAILED', `The inputs of ${operation} must be a mapping.`);
  // Only known names are allowed, so that everything sent has been checked.
  const other = Object.keys(given).find((name) => known.every((input) => input.name !== name));
  if (other !== undefined)
    throw new StepFailure(
      'EXECUTION.OPERATION.FAILED',
      `${operation} has no input ${JSON.stringify(other)}.`,
    );
  const url = given[endpoint];
  const isFixed = typeof url === 'string' && failing(() => isHostFixed(url, (text) => reader.text(text)));
  if (isForAgent === true && url !== undefined && !isFixed)
    throw new StepFailure(
      'WORKFLOW.VALIDATION.UNSAFE_ENDPOINT',
      `An agent started this run, but an external value determines which host ${operation} sends to.`,
    );
  const filled = reader.data(given) as Readonly<Record<string, unknown>>;
  return { ...filled, fixed_host: isFixed };
}
