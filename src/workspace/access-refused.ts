import type { StoreErrorCode } from '../access/ports/index.js';
import { nearest } from '../lib/nearest.js';

/** The gateway does not open, because access rights cannot be determined. */
export class AccessRefused extends Error {
  readonly code: AccessCode;
  constructor(code: AccessCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type AccessCode = StoreErrorCode | 'access.bad_principal' | 'access.unknown_profile';

/** Suggests the nearest profile and lists all of them. */
export function unknownProfile(profile: string, known: Iterable<string>, more = ''): AccessRefused {
  const names = [...known].sort();
  const near = nearest(profile, names);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  const message = `Unknown profile "${profile}".${hint} Available: ${names.join(', ')}.${more}`;
  return new AccessRefused('access.unknown_profile', message);
}
