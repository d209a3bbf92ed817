import type { Frame } from './frame.js';
import { StepFailure } from './result.js';

/** A run that requires trust must not use a file that changed after it was trusted. */
export async function requireTrusted({ parts }: Frame): Promise<void> {
  if (parts.isStillTrusted === undefined || (await parts.isStillTrusted())) return;
  throw new StepFailure(
    'EXECUTION.WORKFLOW.CHANGED',
    'A file of this workflow changed after it was trusted.',
  );
}
