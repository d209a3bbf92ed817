/** What a tool can say of work that could not be done. Each is a row `work.<code>` of the fault table. */
export const workCodes = [
  'not_found',
  'refused',
  'conflict',
  'bad_state',
  'external',
  'unsupported',
  'timeout',
  'failed',
] as const;
export type WorkCode = (typeof workCodes)[number];

export interface FailureFacts {
  /** Of this tool, in snake_case and documented with it: `changed_since_read`. */
  readonly reason?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** What the agent should do next, as one sentence. */
  readonly suggestion?: string;
  /** True when the same call may succeed later without any change. */
  readonly retryable?: boolean;
}

/** Work that could not be done, in words for the agent. Anything else that a tool throws is `work.failed`. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly code: WorkCode;
  readonly facts: FailureFacts;

  constructor(code: WorkCode, message: string, facts: FailureFacts = {}) {
    super(message);
    this.code = code;
    this.facts = facts;
  }
}

/** Told by its shape: a tool may have been built with another copy of this class. */
export function isToolFailure(error: unknown): error is ToolFailure {
  if (!(error instanceof Error) || error.name !== 'ToolFailure' || !('code' in error)) return false;
  return workCodes.some((code) => code === error.code) && 'facts' in error && typeof error.facts === 'object';
}
