import type { Usage } from '../../agents/index.js';
import type { WorkflowCode } from '../codes.js';

export type StepStatus = 'completed' | 'failed' | 'cancelled';

export interface StepError {
  readonly code: WorkflowCode;
  readonly message: string;
  /** What to do about it, if known. */
  readonly next?: string;
}

/** How often a tool was called. `isNative`: the agent's own tool, which bypassed the gateway. */
export interface ToolCount {
  readonly name: string;
  readonly calls: number;
  readonly isNative?: true;
}

/** A call to the agent's own tool that its permissions denied. */
export interface RefusedCall {
  readonly tool: string;
  readonly reason: string;
}

/** The result of a finished step. */
export interface StepResult {
  readonly status: StepStatus;
  /** Path of the step, for people: `deploy`, `each[2].build`. */
  readonly path?: string;
  readonly output: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly response: Readonly<Record<string, unknown>>;
  readonly json?: unknown;
  readonly usage?: Usage;
  /** Agent steps: the messages, for a step that continues the conversation. */
  readonly conversation?: readonly unknown[];
  /** Agent steps: the tools called. */
  readonly tools?: readonly ToolCount[];
  /** Agent steps that keep their own tools: the first denied calls. */
  readonly refused?: readonly RefusedCall[];
  readonly error?: StepError;
  readonly attempts: number;
  readonly startedAt: string;
  readonly ms: number;
  /** Loops: the state outside the loop that a step of the body led to. */
  readonly leftTo?: string;
}

/** What a step kind returns; the rest is the same for all kinds. */
export type Done = Partial<
  Pick<
    StepResult,
    | 'output'
    | 'stderr'
    | 'exitCode'
    | 'response'
    | 'json'
    | 'usage'
    | 'conversation'
    | 'tools'
    | 'refused'
    | 'leftTo'
  >
>;

/** A failed step. `done` is the partial result. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
  readonly code: WorkflowCode;
  readonly done: Done;
  /** What to do about it, if known. */
  readonly next: string | undefined;

  constructor(code: WorkflowCode, message: string, done: Done = {}, next?: string) {
    super(message);
    this.code = code;
    this.done = done;
    this.next = next;
  }
}

export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}
