import type { StoreErrorCode } from '../access/ports.js';
import { nearest } from '../kernel/index.js';

/** A gate that cannot say who may do what is not opened. */
export class AccessRefused extends Error {
  readonly code: AccessCode;
  constructor(code: AccessCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type AccessCode = StoreErrorCode | 'access.bad_principal' | 'access.unknown_profile';

/** With the nearest of the profiles that there are, and all of them. */
export function unknownProfile(profile: string, known: Iterable<string>, more = ''): AccessRefused {
  const names = [...known].sort();
  const near = nearest(profile, names);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  const message = `There is no profile "${profile}".${hint} There are: ${names.join(', ')}.${more}`;
  return new AccessRefused('access.unknown_profile', message);
}
