import { messageOf } from '../../../lib/error-message.js';
import type { Library } from '../../library.js';
import { StepFailure } from '../result.js';

export function textOf(library: Library, file: string): string {
  try {
    return library.read(file).toString('utf8');
  } catch (error) {
    const reason = messageOf(error);
    throw new StepFailure('USER.INPUT.MISSING_FILE', `Cannot read ${file}: ${reason}.`);
  }
}
