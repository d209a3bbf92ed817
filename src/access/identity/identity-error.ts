/** What can be wrong with a wish for a credential, each with what to do about it. Codes never change once released. */
export const identityCodes = {
  'token.bad_principal': 'Write a principal as `kind:name`; the kinds are user, agent and service.',
  'token.bad_profile': 'Name a profile that exists: `tidegate profile list`.',
  'token.bad_tools': 'Give names or patterns with `*` and `?`; `!` before one takes away.',
  'token.bad_label': 'Give at most 200 characters on one line.',
  'token.bad_expiry': 'Give a time such as `12h` or `30d`, or a date to come such as `2030-01-31`.',
  'token.not_found': 'Look for its id: `tidegate token list`.',
  'token.revoked': 'Make a new one: a revoked token never comes back.',
  'token.expired': 'Make a new one: an expired token never comes back.',
  'token.parent_void': 'Make a new one: the token that it was made from is no longer good.',
  'token.too_deep': 'Start from a token nearer to the first one: a chain has eight links at most.',
  'token.foreign_zone': 'A credential stays in the zone of the one that it is made from.',
} as const;

export type IdentityCode = keyof typeof identityCodes;

/** A wish that cannot be granted. The message is for whoever asked; it never holds a secret. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
  readonly code: IdentityCode;
  /** The way forward. */
  readonly next: string;
  constructor(code: IdentityCode, message: string) {
    super(message);
    this.code = code;
    this.next = identityCodes[code];
  }
}
