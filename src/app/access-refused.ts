import type { StoreErrorCode } from '../access/ports.js';

/** A gate that cannot say who may do what is not opened. */
export class AccessRefused extends Error {
  readonly code: AccessCode;
  constructor(code: AccessCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type AccessCode = StoreErrorCode | 'access.bad_principal' | 'access.unknown_profile';
