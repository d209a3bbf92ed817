/** What can be wrong with a wish for a credential, and what to do about it. Codes never change once released. */
export const identityCodes = {
  'token.bad_principal': {
    meaning: 'Nobody can be called that: a token is for `user:`, `agent:` or `service:` and a name.',
    remedy: 'Write a principal as `kind:name`; the kinds are user, agent and service.',
  },
  'token.bad_profile': {
    meaning: 'There is no profile of that name for a token.',
    remedy: 'Name a profile that exists: `tidegate profile list`.',
  },
  'token.bad_tools': {
    meaning: 'The names and patterns of tools cannot be read.',
    remedy: 'Give names or patterns with `*` and `?`; `!` before one takes away.',
  },
  'token.bad_label': {
    meaning: 'A label is one line of at most 200 characters.',
    remedy: 'Give at most 200 characters on one line.',
  },
  'token.bad_expiry': {
    meaning: 'The end of a token is no time to come.',
    remedy: 'Give a time such as `12h` or `30d`, or a date to come such as `2030-01-31`.',
  },
  'token.not_found': {
    meaning: 'There is no such token in this zone.',
    remedy: 'Look for its id: `tidegate token list`.',
  },
  'token.revoked': {
    meaning: 'The token was revoked.',
    remedy: 'Make a new one: a revoked token never comes back.',
  },
  'token.expired': {
    meaning: 'The time of the token is over.',
    remedy: 'Make a new one: an expired token never comes back.',
  },
  'token.parent_void': {
    meaning: 'The token that this one was made from is no longer good.',
    remedy: 'Make a new one: the token that it was made from is no longer good.',
  },
  'token.too_deep': {
    meaning: 'A chain of tokens has eight links at most.',
    remedy: 'Start from a token nearer to the first one: a chain has eight links at most.',
  },
  'token.foreign_zone': {
    meaning: 'A token stays in the zone of the one that it is made from.',
    remedy: 'A credential stays in the zone of the one that it is made from.',
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly remedy: string }>>;

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
    this.next = identityCodes[code].remedy;
  }
}
