interface CodeEntry {
  readonly meaning: string;
  /** What to do where the place that refuses knows nothing better. */
  readonly remedy: string;
}

/** Every refusal of the operator's desk. Codes never change once released. */
export const deskCodes = {
  'access.admin_required': {
    meaning: 'Rights are looked at and changed by the operator and admins of the zone only.',
    remedy:
      'Use the token of the operator, or have the zone granted to you: `tidegate grant <principal> --admin`.',
  },
  'access.bad_principal': {
    meaning: 'Nobody can be called that.',
    remedy: 'Write `agent:alice`, `user:ana`, `service:ci` or, for everybody who has it, `role:dev`.',
  },
  'access.bad_target': {
    meaning: 'What was named is neither a tool nor a set of tools, or not one that fits here.',
    remedy: 'Write `Read`, `github_*`, `server:github/create_issue`, `server:github` or `tier:2`.',
  },
  'access.unknown_tool': {
    meaning: 'No tool that is known here fits the name.',
    remedy: 'Look for it: `tidegate tools list`; or add `--force` for one that is still to come.',
  },
  'access.unknown_profile': {
    meaning: 'There is no profile of that name.',
    remedy: 'Look for it: `tidegate profile list`.',
  },
  'access.unknown_token': {
    meaning: 'There is no token of that id, or it belongs to somebody else.',
    remedy: 'Look for it: `tidegate token list`.',
  },
  'access.bad_time': {
    meaning: 'The time cannot be read, or is over.',
    remedy: 'Write `8h`, `30d`, or a date to come such as `2030-01-31`.',
  },
  'access.role_cycle': {
    meaning: 'A role would have itself as a member.',
    remedy: 'Take one of the memberships that the message names away first.',
  },
  'access.not_in_model': {
    meaning: 'The authorization model gives such a tuple no meaning.',
    remedy: 'Grant it in another way; `docs/guides/grants.md` shows the model.',
  },
  'access.bad_document': {
    meaning: 'The document cannot be used: nothing of it was written.',
    remedy: 'Correct what the problems name.',
  },
  'access.wrong_zone': {
    meaning: 'The document speaks of another zone: nothing of it was written.',
    remedy: 'A grant of one zone never applies in another; remove `zone` from the document if you mean it.',
  },
  'access.bad_request': {
    meaning: 'A field is missing, of the wrong kind, unknown, or excludes another one.',
    remedy: 'Correct what the message names; `/api/openapi.json` describes the addresses.',
  },
  'access.store_in_memory': {
    meaning:
      'Rights are kept in the memory of the process that serves them, where no command can reach them.',
    remedy: 'Use the admin API of that gate, or keep them in a file: `store: { kind: sqlite }`.',
  },
  'access.conflict': {
    meaning: 'Others changed the rights of this zone again and again meanwhile: nothing was written.',
    remedy: 'Try again.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type DeskCode = keyof typeof deskCodes;

/** Something that the desk does not do. The message is for whoever asked. */
export class DeskError extends Error {
  override readonly name = 'DeskError';
  readonly code: DeskCode;
  /** The way forward, best as a command to type. */
  readonly next: string;
  /** Each thing that is wrong, where several can be. */
  readonly problems: readonly string[];

  constructor(code: DeskCode, message: string, next?: string, problems: readonly string[] = []) {
    super(message);
    this.code = code;
    this.next = next ?? deskCodes[code].remedy;
    this.problems = problems;
  }
}
