/** Errors when creating or using tokens, with remedies. Codes never change once released. */
export const identityCodes = {
  'token.bad_principal': {
    meaning: 'The principal is not valid. A token belongs to a `user:`, `agent:` or `service:`.',
    remedy: 'Use `kind:name`, where the kind is user, agent or service.',
  },
  'token.bad_profile': {
    meaning: 'The profile of the token does not exist.',
    remedy: 'List the profiles with `tidegate profile list`.',
  },
  'token.bad_tools': {
    meaning: 'The tool names or patterns are invalid.',
    remedy: 'Use names, or patterns with `*` and `?`. Prefix with `!` to exclude.',
  },
  'token.bad_label': {
    meaning: 'The label is too long or has several lines.',
    remedy: 'Use at most 200 characters on one line.',
  },
  'token.bad_workspace': {
    meaning: 'The workspace is not an absolute path, or it is not the workspace of the parent token.',
    remedy: 'Use the absolute path of a folder that `tidegate serve --workspace` serves.',
  },
  'token.bad_expiry': {
    meaning: 'The expiry is not a valid future time.',
    remedy: 'Use a duration such as `12h` or `30d`, or a future date such as `2030-01-31`.',
  },
  'token.not_found': {
    meaning: 'The token does not exist in this zone.',
    remedy: 'Find its id with `tidegate token list`.',
  },
  'token.revoked': {
    meaning: 'The token was revoked.',
    remedy: 'Create a new token. A revoked token cannot be restored.',
  },
  'token.expired': {
    meaning: 'The token has expired.',
    remedy: 'Create a new token. An expired token cannot be renewed.',
  },
  'token.parent_void': {
    meaning: 'The parent of this token is no longer valid.',
    remedy: 'Create a new token. A token is valid only as long as its parent is.',
  },
  'token.too_deep': {
    meaning: 'The chain of tokens is too long. It can have at most eight links.',
    remedy: 'Derive the token from one earlier in the chain.',
  },
  'token.foreign_zone': {
    meaning: 'A token must be in the same zone as its parent.',
    remedy: 'Use the zone of the parent token.',
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly remedy: string }>>;

export type IdentityCode = keyof typeof identityCodes;

/** An invalid token request. The message is for the caller and never contains a secret. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
  readonly code: IdentityCode;
  /** What to do next. */
  readonly next: string;
  constructor(code: IdentityCode, message: string) {
    super(message);
    this.code = code;
    this.next = identityCodes[code].remedy;
  }
}
