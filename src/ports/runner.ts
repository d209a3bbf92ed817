import type { Cancellation } from '../lib/cancellation.js';

/** A workflow that may be run. */
export interface WorkflowFacts {
  readonly name: string;
  readonly description?: string;
  readonly inputs: readonly {
    readonly name: string;
    readonly description?: string;
    readonly type?: string;
    readonly required: boolean;
  }[];
}

export interface WorkflowRun {
  readonly run: string;
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly message?: string;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly steps: readonly {
    readonly name: string;
    readonly status: string;
    readonly error?: string;
    /** A workflow error code. */
    readonly code?: string;
  }[];
}

/** Runs workflows with the rights of one session. */
export interface Runner {
  /** Trusted workflows only, sorted by name. */
  list(): Promise<readonly WorkflowFacts[]>;
  /** Throws a ToolFailure if it cannot run. `onStep` is called after each step. */
  run(
    name: string,
    inputs: Readonly<Record<string, unknown>>,
    line: Cancellation,
    onStep: (step: string, status: string) => void,
  ): Promise<WorkflowRun>;
}
