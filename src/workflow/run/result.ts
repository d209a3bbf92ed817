import type { Usage } from '../../agents/index.js';
import type { WorkflowCode } from '../codes.js';

export type StepStatus = 'completed' | 'failed' | 'cancelled';

export interface StepError {
  readonly code: WorkflowCode;
  readonly message: string;
  /** What to do about it, where that is known. */
  readonly next?: string;
}

/** How often a tool was called. `isNative`: it is the agent's own, and did not pass the gate. */
export interface ToolCount {
  readonly name: string;
  readonly calls: number;
  readonly isNative?: true;
}

/** What is left of a step when it is over. */
export interface StepResult {
  readonly status: StepStatus;
  /** Which step it was, for people: `deploy`, `each[2].build`. */
  readonly path?: string;
  readonly output: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly response: Readonly<Record<string, unknown>>;
  readonly json?: unknown;
  readonly usage?: Usage;
  /** Of an agent: what was said, for a step that continues it. */
  readonly conversation?: readonly unknown[];
  /** Of an agent: the tools that it called. */
  readonly tools?: readonly ToolCount[];
  readonly error?: StepError;
  readonly attempts: number;
  readonly startedAt: string;
  readonly ms: number;
  /** Of a loop that a step of its body left: where to. */
  readonly leftTo?: string;
}

/** What a step of some kind gives; the rest is the same for all. */
export type Done = Partial<
  Pick<
    StepResult,
    'output' | 'stderr' | 'exitCode' | 'response' | 'json' | 'usage' | 'conversation' | 'tools' | 'leftTo'
  >
>;

/** Work that could not be done. `done` is what came of it all the same. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
  readonly code: WorkflowCode;
  readonly done: Done;
  /** What to do about it, where that is known. */
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
