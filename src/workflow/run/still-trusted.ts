import type { Frame } from './frame.js';
import { StepFailure } from './result.js';

/** A run that may only do what was trusted does nothing of a file that was changed since. */
export async function requireTrusted({ parts }: Frame): Promise<void> {
  if (parts.isStillTrusted === undefined || (await parts.isStillTrusted())) return;
  throw new StepFailure(
    'EXECUTION.WORKFLOW.CHANGED',
    'A file of this workflow is not what was trusted any more.',
  );
}
