/** Failure codes for tools. Each is `work.<code>` in the fault table. */
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
  /** Tool-specific, in snake_case and documented with the tool: `changed_since_read`. */
  readonly reason?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** What the agent should do next, in one sentence. */
  readonly suggestion?: string;
  /** True when the same call may succeed later unchanged. */
  readonly retryable?: boolean;
}

/** An expected failure with a message for the agent. Anything else that a tool throws becomes `work.failed`. */
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

/** Checks the shape, because a tool may have been built with another copy of this class. */
export function isToolFailure(error: unknown): error is ToolFailure {
  if (!(error instanceof Error) || error.name !== 'ToolFailure' || !('code' in error)) return false;
  return workCodes.some((code) => code === error.code) && 'facts' in error && typeof error.facts === 'object';
}
