import type { JsonText } from '../lib/json-text.js';

/** Who can fix the cause. */
export type Fixer = 'agent' | 'operator' | 'human' | 'us';

interface FaultRow {
  readonly fixer: Fixer;
  /** True when the same call may succeed later unchanged. */
  readonly retryable: boolean;
  /** One sentence for the reference page and for `tidegate explain`. */
  readonly meaning: string;
  readonly remedy: string;
  /** Tidegate refused the call: audit records it as denied. */
  readonly isRefusal?: true;
  /** Kept for a stage that this version does not have. Nothing produces it yet. */
  readonly isReserved?: true;
}

/** Every way in which a call can fail. Codes never change once released. */
export const faultTable = {
  'tool.not_found': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The caller has no tool with this name.',
    remedy: 'List the tools again and use a name from the list.',
    isRefusal: true,
  },
  'tool.not_permitted': {
    fixer: 'operator',
    retryable: false,
    meaning: 'The caller can see this tool but is not allowed to call it.',
    remedy: 'Continue without this tool, or ask the operator to grant it.',
    isRefusal: true,
  },
  'prompt.not_found': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The caller has no prompt with this name.',
    remedy: 'List the prompts again and use a name from the list.',
    isRefusal: true,
  },
  'resource.not_found': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The caller has no resource with this URI.',
    remedy: 'List the resources again, or fill in one of the listed templates.',
    isRefusal: true,
  },
  'input.invalid': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The arguments do not match the schema.',
    remedy: 'Fix the arguments named in the message and retry.',
    isRefusal: true,
  },
  'cursor.invalid': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The page cursor is invalid, or the list has changed since it was issued.',
    remedy: 'Start the list again without a cursor.',
  },
  'call.cancelled': {
    fixer: 'agent',
    retryable: true,
    meaning: 'The caller cancelled the call or disconnected.',
    remedy: 'Retry if you still need the result.',
  },
  'call.timeout': {
    fixer: 'operator',
    retryable: true,
    meaning: 'The server did not answer within its timeout.',
    remedy: 'Retry with a smaller request. The operator can raise `servers.<name>.timeout`.',
  },
  'call.too_many': {
    fixer: 'agent',
    retryable: true,
    meaning: 'The caller has too many open requests on one connection.',
    remedy: 'Wait for responses before sending more requests.',
  },
  'ask.unsupported': {
    fixer: 'human',
    retryable: false,
    meaning: 'The tool needs input that this client cannot provide.',
    remedy: 'Use a client that supports the capability named in the message.',
  },
  'ask.expired': {
    fixer: 'agent',
    retryable: false,
    meaning:
      'The call waiting for this input no longer exists: it was answered already, it expired, or Tidegate restarted.',
    remedy: 'Retry the call from the start.',
    isRefusal: true,
  },
  'ask.forged': {
    fixer: 'agent',
    retryable: false,
    meaning: 'Tidegate did not issue this `requestState` for this caller, tool and arguments.',
    remedy: 'Send `requestState` back exactly as received, with the same arguments.',
    isRefusal: true,
  },
  'ask.too_many': {
    fixer: 'us',
    retryable: false,
    meaning: 'The tool kept asking for input without returning a result.',
    remedy: 'Report it to the author of the tool.',
  },
  'policy.denied': {
    fixer: 'operator',
    retryable: false,
    meaning: 'A policy rule denies this call.',
    remedy: 'Continue without this call, or change what the message names.',
    isRefusal: true,
    isReserved: true,
  },
  'limits.rate': {
    fixer: 'agent',
    retryable: true,
    meaning: 'The caller makes calls faster than its limit allows.',
    remedy: 'Wait as long as the message says, then retry.',
    isRefusal: true,
    isReserved: true,
  },
  'limits.quota': {
    fixer: 'operator',
    retryable: false,
    meaning: 'The caller has used up its quota for this tool.',
    remedy: 'Continue without this tool, or ask the operator for a higher limit.',
    isRefusal: true,
    isReserved: true,
  },
  'approval.pending': {
    fixer: 'human',
    retryable: true,
    meaning: 'The call needs approval from a person, who has not answered yet.',
    remedy: 'Retry the same call later. It runs once it is approved.',
    isRefusal: true,
    isReserved: true,
  },
  'approval.denied': {
    fixer: 'human',
    retryable: false,
    meaning: 'A person denied this call.',
    remedy: 'Continue without this call.',
    isRefusal: true,
    isReserved: true,
  },
  'approval.expired': {
    fixer: 'human',
    retryable: false,
    meaning: 'The call needs approval from a person, and nobody answered in time.',
    remedy: 'Retry if you still need the result; a person will be asked again.',
    isRefusal: true,
    isReserved: true,
  },
  'pins.changed': {
    fixer: 'operator',
    retryable: false,
    meaning: 'The definition of the tool has changed since it was accepted.',
    remedy: 'Continue without this tool, and ask the operator to review the change.',
    isRefusal: true,
    isReserved: true,
  },
  'provider.untrusted': {
    fixer: 'operator',
    retryable: false,
    meaning:
      'The file that defines the server is not trusted, or a file that it runs has changed since it was trusted.',
    remedy: 'Continue without it, and ask a person to review the file and run `tidegate trust`.',
  },
  'provider.disabled': {
    fixer: 'operator',
    retryable: false,
    meaning: 'The server is disabled in the configuration.',
    remedy: 'Continue without it. The operator can set `enabled: true` for it.',
  },
  'provider.login': {
    fixer: 'human',
    retryable: false,
    meaning: 'The server requires a login, or a login with more permissions.',
    remedy: 'Ask a person to open the link in the message or run `tidegate login <server>`, then retry.',
  },
  'provider.starting': {
    fixer: 'agent',
    retryable: true,
    meaning: 'The server is still starting.',
    remedy: 'Retry in a few seconds.',
  },
  'provider.busy': {
    fixer: 'agent',
    retryable: true,
    meaning: 'The server handles one session at a time and is busy with another one.',
    remedy: 'Retry in a few seconds.',
  },
  'provider.unavailable': {
    fixer: 'operator',
    retryable: true,
    meaning: 'The server could not be started or reached.',
    remedy: 'Continue without it, or retry later. The operator can see the cause with `tidegate servers`.',
  },
  'provider.lost': {
    fixer: 'agent',
    retryable: true,
    meaning:
      'The connection to the server was lost before it answered. The call may or may not have taken effect.',
    remedy: 'Check whether the call took effect before you retry.',
  },
  'provider.malformed': {
    fixer: 'us',
    retryable: false,
    meaning: 'The server sent an invalid protocol message.',
    remedy: 'Report it to the author of the server. The log has the details.',
  },
  'upstream.error': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The server returned an error, which is passed on unchanged unless it is very long.',
    remedy: "Read the server's message.",
  },
  'need.starting': {
    fixer: 'agent',
    retryable: true,
    meaning: 'Something the tool needs is still starting.',
    remedy: 'Retry in a few seconds.',
  },
  'need.unavailable': {
    fixer: 'operator',
    retryable: false,
    meaning: 'Something the tool needs is missing or disabled.',
    remedy: 'Continue without this tool, or ask the operator to provide what the message names.',
  },
  'work.not_found': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The requested item does not exist.',
    remedy: 'Find the right name first.',
  },
  'work.refused': {
    fixer: 'human',
    retryable: false,
    meaning: 'The tool refused: the path is protected or outside the workspace.',
    remedy: 'Stay inside the workspace. If you need this, ask a person.',
  },
  'work.conflict': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The target was changed in the meantime. Nothing was overwritten.',
    remedy: 'Read the current state, then decide what to do.',
  },
  'work.bad_state': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The call is valid but not possible in the current state.',
    remedy: 'First do what the message says.',
  },
  'work.external': {
    fixer: 'operator',
    retryable: false,
    meaning: 'A program that the tool depends on failed.',
    remedy: 'Read the error of that program.',
  },
  'work.unsupported': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The tool does not support this input, or does not work on this machine.',
    remedy: 'Try another approach.',
  },
  'work.timeout': {
    fixer: 'agent',
    retryable: true,
    meaning: 'The tool timed out.',
    remedy: 'Request less, or allow more time.',
  },
  'work.failed': {
    fixer: 'agent',
    retryable: false,
    meaning: 'The tool failed. The message comes from the tool.',
    remedy: "Read the tool's message.",
  },
  internal: {
    fixer: 'us',
    retryable: false,
    meaning: 'A bug in Tidegate. The call did not run, or its result was withheld.',
    remedy: 'Report it with the request id. The log has the details.',
  },
} as const satisfies Record<string, FaultRow>;

export type FaultCode = keyof typeof faultTable;

export const faultCodes: readonly FaultCode[] = Object.freeze(
  (Object.keys(faultTable) as FaultCode[]).sort(),
);

/** The row of a code with its optional members. */
export function faultRow(code: FaultCode): FaultRow {
  return faultTable[code];
}

/** What a caller needs to continue, by code. Other codes carry no data. */
interface DataByCode {
  'resource.not_found': { readonly uri: string };
  'input.invalid': {
    readonly issues?: readonly string[];
    /** The schema of a tool that the caller has listed. */
    readonly inputSchema?: unknown;
    /** The schema of a tool that the caller has not seen: it is part of the text. */
    readonly input_schema?: unknown;
  };
  'ask.unsupported': { readonly requiredCapabilities: Readonly<Record<string, object>> };
  'provider.login': { readonly link: string };
  'need.unavailable': { readonly need: string };
  'need.starting': { readonly need: string; readonly retry_after_ms: number };
}

type ToolData = Readonly<Record<string, unknown>>;

export type FaultData<C extends FaultCode> = C extends keyof DataByCode
  ? DataByCode[C]
  : C extends `work.${string}`
    ? ToolData
    : never;

/** An expected failure. `message` is shown to the agent; `detail` is never sent to it. */
export interface Fault<C extends FaultCode = FaultCode> {
  readonly code: C;
  readonly message: string;
  readonly detail?: string;
  /** The JSON-RPC error object of an upstream, unchanged. */
  readonly upstream?: JsonText;
  readonly data?: FaultData<C>;
  /** A tool-specific reason in snake_case. */
  readonly reason?: string;
  /** Replaces the remedy of the table. */
  readonly suggestion?: string;
  /** Set only where it differs from the table. */
  readonly retryable?: boolean;
}

export function createFault<C extends FaultCode>(
  code: C,
  message: string,
  more: Omit<Fault<C>, 'code' | 'message'> = {},
): Fault<C> {
  return Object.freeze({ code, message, ...more });
}

/** The data of a fault, if it has this code. */
export function faultData<C extends FaultCode>(fault: Fault, code: C): FaultData<C> | undefined {
  return fault.code === code ? (fault as Fault<C>).data : undefined;
}
