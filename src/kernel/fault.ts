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
    remedy: 'Call again with less work, or raise `servers.<name>.timeout`.',
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
    remedy: 'Read the file, then run `tidegate trust`.',
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
    remedy: 'Run `tidegate servers` to see why.',
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
}

export function createFault(
  code: FaultCode,
  message: string,
  more: Omit<Fault, 'code' | 'message'> = {},
): Fault {
  return Object.freeze({ code, message, ...more });
}
