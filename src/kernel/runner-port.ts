import type { Cancellation } from './cancellation.js';

/** A workflow that may be run from here. */
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
  readonly steps: readonly { readonly name: string; readonly status: string; readonly error?: string }[];
}

/** Runs workflows for a session, with the rights of that session and no others. */
export interface Runner {
  /** Those whose content was trusted, in the order of their names. */
  list(): Promise<readonly WorkflowFacts[]>;
  /** Throws a ToolFailure for what cannot be run. `onStep` is told of each step that is over. */
  run(
    name: string,
    inputs: Readonly<Record<string, unknown>>,
    line: Cancellation,
    onStep: (step: string, status: string) => void,
  ): Promise<WorkflowRun>;
}
