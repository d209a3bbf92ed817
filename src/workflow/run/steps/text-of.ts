import type { Library } from '../../library.js';
import { StepFailure } from '../result.js';

/** The text of a file that a step uses. */
export function textOf(library: Library, file: string): string {
  try {
    return library.read(file).toString('utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StepFailure('USER.INPUT.MISSING_FILE', `${file} cannot be read: ${reason}.`);
  }
}
