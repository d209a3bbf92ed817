interface CodeEntry {
  readonly meaning: string;
  /** The default remedy. */
  readonly remedy: string;
}

/** Every error of the admin service. Codes never change once released. */
export const adminCodes = {
  'access.admin_required': {
    meaning: 'Only the operator and admins of the zone can view and change rights.',
    remedy: 'Use an operator token, or ask for admin rights: `tidegate grant <principal> --admin`.',
  },
  'access.bad_principal': {
    meaning: 'The principal is not valid.',
    remedy: 'Use `agent:alice`, `user:ana`, `service:ci`, or `role:dev` for everyone with that role.',
  },
  'access.bad_target': {
    meaning: 'The name is not a valid tool or set of tools, or it cannot be used here.',
    remedy: 'Use `Read`, `github_*`, `server:github/create_issue`, `server:github` or `tier:2`.',
  },
  'access.unknown_tool': {
    meaning: 'No known tool matches the name.',
    remedy: 'Run `tidegate tools list` to find it, or add `--force` if the tool will be added later.',
  },
  'access.unknown_profile': {
    meaning: 'The profile does not exist.',
    remedy: 'List the profiles with `tidegate profile list`.',
  },
  'access.unknown_token': {
    meaning: 'The token does not exist, or it belongs to another principal.',
    remedy: 'List the tokens with `tidegate token list`.',
  },
  'access.bad_time': {
    meaning: 'The time is invalid or in the past.',
    remedy: 'Use `8h`, `30d`, or a future date such as `2030-01-31`.',
  },
  'access.role_cycle': {
    meaning: 'A role would become a member of itself.',
    remedy: 'First remove one of the memberships named in the message.',
  },
  'access.not_in_model': {
    meaning: 'The authorization model does not allow this tuple.',
    remedy: 'Grant it in another way. See the model in `docs/guides/grants.md`.',
  },
  'access.bad_document': {
    meaning: 'The document is invalid. Nothing was written.',
    remedy: 'Fix the listed problems.',
  },
  'access.wrong_zone': {
    meaning: 'The document belongs to another zone. Nothing was written.',
    remedy:
      'Grants of one zone do not apply in another. To import them anyway, remove `zone` from the document.',
  },
  'access.bad_request': {
    meaning: 'A field is missing, unknown, of the wrong type, or conflicts with another one.',
    remedy: 'Fix the field named in the message. See `/api/openapi.json` for the API.',
  },
  'access.store_in_memory': {
    meaning: 'Rights are kept in the memory of the running gateway, where commands cannot reach them.',
    remedy: 'Use the admin API of the gateway, or store rights in a file: `store: { kind: sqlite }`.',
  },
  'access.conflict': {
    meaning: 'The rights of this zone kept changing during the operation. Nothing was written.',
    remedy: 'Try again.',
  },
  'access.prune_too_much': {
    meaning: 'Nearly all audit records would be removed, which usually means that a clock is wrong.',
    remedy:
      'Check the clock of the store. To remove them anyway, pass an exact date: `--older-than 2026-01-31`.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type AdminCode = keyof typeof adminCodes;

/** An expected error of the admin service. The message is for the caller. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
  readonly code: AdminCode;
  /** What to do next, preferably a command. */
  readonly next: string;
  /** All problems, if there can be several. */
  readonly problems: readonly string[];

  constructor(code: AdminCode, message: string, next?: string, problems: readonly string[] = []) {
    super(message);
    this.code = code;
    this.next = next ?? adminCodes[code].remedy;
    this.problems = problems;
  }
}
