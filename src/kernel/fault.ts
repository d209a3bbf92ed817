import type { JsonText } from './json-text.js';

/** Who can make the next attempt succeed. */
export type Fixer = 'agent' | 'operator' | 'human' | 'us';

interface FaultRow {
  readonly fixer: Fixer;
  /** True when the same call may succeed later without any change. */
  readonly retryable: boolean;
  /** One sentence for the reference page and for `explain`. */
  readonly meaning: string;
  readonly remedy: string;
}

/** The closed table of everything that can go wrong on the way of a call. Codes never change once released. */
export const faultTable = {
  'tool.not_found': {
    fixer: 'agent',
    retryable: false,
    meaning: 'No tool of that name exists for this caller.',
    remedy: 'List the tools again and use a name from the list.',
  },
  'prompt.not_found': {
    fixer: 'agent',
    retryable: false,
    meaning: 'No prompt of that name exists for this caller.',
    remedy: 'List the prompts again and use a name from the list.',
  },
  'resource.not_found': {
    fixer: 'agent',
    retryable: false,
    meaning: 'No resource with that address exists for this caller.',
    remedy: 'List the resources again, or fill in one of the listed templates.',
  },
  'input.invalid': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The arguments do not fit the schema of the target.',
    remedy: 'Correct the arguments as the message says and call again.',
  },
  'cursor.invalid': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The page cursor is unknown, or the list has changed since it was given out.',
    remedy: 'Start the list again without a cursor.',
  },
  'call.cancelled': {
    fixer: 'agent',
    retryable: true,
    meaning: 'The caller cancelled the call or went away.',
    remedy: 'Call again if the result is still wanted.',
  },
  'call.timeout': {
    fixer: 'operator',
    retryable: true,
    meaning: 'The target gave no answer within its time limit.',
    remedy: 'Call again with less work; the operator can raise `servers.<name>.timeout`.',
  },
  'call.too_many': {
    fixer: 'agent',
    retryable: true,
    meaning: 'The caller has more unanswered requests than the gate keeps for one connection.',
    remedy: 'Wait for answers before sending more requests.',
  },
  'ask.unsupported': {
    fixer: 'human',
    retryable: false,
    meaning: 'The target must ask the caller something that this client cannot answer.',
    remedy: 'Use a client that declares the capability named in the message.',
  },
  'ask.expired': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The call that waited for this answer is gone: answered before, expired, or the gate restarted.',
    remedy: 'Make the call again from the start.',
  },
  'ask.forged': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The `requestState` was not given out by this gate for this caller, target and arguments.',
    remedy: 'Send back `requestState` exactly as received, with the same arguments.',
  },
  'ask.too_many': {
    fixer: 'us',
    retryable: false,
    meaning: 'The target kept asking without coming to a result.',
    remedy: 'Report it to the author of the target.',
  },
  'provider.untrusted': {
    fixer: 'operator',
    retryable: false,
    meaning: 'The server comes from a file that the operator has not trusted, so it was not started.',
    remedy: 'Work without it, and ask a person to read the file and then to run `tidegate trust`.',
  },
  'provider.login': {
    fixer: 'human',
    retryable: false,
    meaning: 'The server behind the target wants a login, or one for more than was granted.',
    remedy:
      'Ask a person to open the link of the message, or to run `tidegate login <server>`; then call again.',
  },
  'provider.starting': {
    fixer: 'agent',
    retryable: true,
    meaning: 'The server behind the target is still starting.',
    remedy: 'Call again in a few seconds.',
  },
  'provider.unavailable': {
    fixer: 'operator',
    retryable: true,
    meaning: 'The server behind the target could not be started or reached.',
    remedy: 'Work without it, or call again later; the operator sees why with `tidegate servers`.',
  },
  'provider.lost': {
    fixer: 'agent',
    retryable: true,
    meaning: 'The server went away before it answered; the call may or may not have taken effect.',
    remedy: 'Check what happened before you call again.',
  },
  'provider.malformed': {
    fixer: 'us',
    retryable: false,
    meaning: 'The server answered with something that is not the protocol.',
    remedy: 'Report it to the author of the server; the log has the detail.',
  },
  'upstream.error': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The server answered with an error of its own, passed on as it came.',
    remedy: 'Read the message of the server.',
  },
  'need.starting': {
    fixer: 'agent',
    retryable: true,
    meaning: 'Something that the tool needs is still starting.',
    remedy: 'Call again in a few seconds.',
  },
  'need.unavailable': {
    fixer: 'operator',
    retryable: false,
    meaning: 'Something that the tool needs is not there, or is switched off.',
    remedy: 'Work without this tool, or ask the operator to provide what the message names.',
  },
  'work.not_found': {
    fixer: 'agent',
    retryable: false,
    meaning: 'What the tool was asked about does not exist.',
    remedy: 'Look for the right name first.',
  },
  'work.refused': {
    fixer: 'human',
    retryable: false,
    meaning: 'The tool does not do this: the place is outside the workspace, or protected.',
    remedy: 'Stay inside the workspace; ask a person if it must be done.',
  },
  'work.conflict': {
    fixer: 'agent',
    retryable: false,
    meaning: 'Somebody else changed the same thing meanwhile; nothing was overwritten.',
    remedy: 'Look at the present state and decide anew.',
  },
  'work.bad_state': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The call is well formed, but is not possible as things are now.',
    remedy: 'Do first what the message says.',
  },
  'work.external': {
    fixer: 'operator',
    retryable: false,
    meaning: 'Another program that the tool relies on failed.',
    remedy: 'Read what that program said.',
  },
  'work.unsupported': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The tool cannot do this with such an object or on this machine.',
    remedy: 'Choose another way.',
  },
  'work.timeout': {
    fixer: 'agent',
    retryable: true,
    meaning: 'The work took longer than it was given.',
    remedy: 'Ask for less, or give it more time.',
  },
  'work.failed': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The tool failed, in its own words.',
    remedy: 'Read the message of the tool.',
  },
  internal: {
    fixer: 'us',
    retryable: false,
    meaning: 'A defect of the gate. The call was not carried out, or its result was withheld.',
    remedy: 'Report it with the request id; the log has the detail.',
  },
} as const satisfies Record<string, FaultRow>;

export type FaultCode = keyof typeof faultTable;

export const faultCodes: readonly FaultCode[] = Object.freeze(
  (Object.keys(faultTable) as FaultCode[]).sort(),
);

/** A failure that was expected. `message` is for the agent and says what to do next; `detail` never leaves. */
export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
  readonly detail?: string;
  /** The JSON-RPC error object of an upstream, carried as it came. */
  readonly upstream?: JsonText;
  /** Facts that the caller needs to go on, such as the schema or the missing capability. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The case in the words of one tool, in snake_case. */
  readonly reason?: string;
  /** Said in place of the remedy of the table. */
  readonly suggestion?: string;
  /** Where it differs from the table. */
  readonly retryable?: boolean;
}

export function createFault(
  code: FaultCode,
  message: string,
  more: Omit<Fault, 'code' | 'message'> = {},
): Fault {
  return Object.freeze({ code, message, ...more });
}
