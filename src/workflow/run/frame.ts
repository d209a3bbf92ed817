import type { Trace } from '../../core/index.js';
import { ExpressionError } from '../expression/expression.js';
import { holds, type Names } from '../expression/evaluate.js';
import type { Step, Workflow } from '../grammar/workflow.js';
import { renderTemplate } from '../template/render.js';
import { TemplateError } from '../template/template.js';
import type { Journal, Way } from './journal.js';
import { StepFailure, type StepResult } from './result.js';
import type { RunParts } from './run-parts.js';
import { createScope, type LoopPlace, type ScopeParts } from './scope.js';
import type { Transcript } from './transcript.js';

/** A running workflow. A called workflow has its own frame. */
export interface Frame {
  readonly parts: RunParts;
  readonly workflow: Workflow;
  readonly runId: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The latest result of each state, by name. */
  readonly states: Map<string, StepResult>;
  readonly journal: Journal;
  readonly transcript: Transcript;
  readonly startedAt: number;
  /** Prefix for the journal keys of its steps. */
  readonly prefix: string;
  /** Files of the workflows that led here. */
  readonly trail: readonly string[];
  /** Remaining number of steps. */
  readonly budget: { left: number };
  /** Numbers the runs of called workflows. */
  readonly nextChild: () => number;
  /** For steps that contain other steps. */
  readonly execute: Execute;
}

/** Where the run continues. Without `way`, a successful step is a dead end and a failed step ends the run. */
export interface Next {
  readonly way?: Way;
  /** How the run fails, if the step defines it. */
  readonly failure?: { readonly message: string; readonly status: number };
}

export interface Executed {
  readonly result: StepResult;
  readonly next: Next;
}

/** Runs one step with its hooks, retries and record. */
export type Execute = (step: Step, frame: Frame, place: Place) => Promise<Executed>;

/** Position of a step in its frame. */
export interface Place {
  readonly key: string;
  /** For people: `deploy`, `each[2].build`. */
  readonly path: string;
  readonly signal: AbortSignal;
  readonly loop?: LoopPlace;
  readonly trace?: Trace;
  /** A branch of `parallel`: its transitions are ignored. */
  readonly isBranch?: true;
}

type More = Partial<Pick<ScopeParts, 'error'>>;

function scopeOf(frame: Frame, current: string, loop: LoopPlace | undefined, more: More = {}) {
  const { parts, workflow, runId, inputs, states, startedAt } = frame;
  return createScope({
    runId,
    name: workflow.name,
    startedAt,
    inputs,
    declared: workflow.inputs,
    states,
    env: parts.env,
    library: parts.library,
    identity: parts.identity,
    current,
    ...(loop && { loop }),
    now: parts.now(),
    ...more,
  });
}

/** Evaluates the templates and conditions of a step. An error fails the step. */
export interface Reader {
  text(text: string): string;
  /** The same for every string in the data. */
  data(value: unknown): unknown;
  holds(text: string): boolean;
  readonly names: Names;
}

export function createReader(
  frame: Frame,
  current: string,
  loop: LoopPlace | undefined,
  more: More = {},
): Reader {
  const scope = scopeOf(frame, current, loop, more);
  const text = (given: string): string => failing(() => renderTemplate(given, scope.template));
  const data = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(data);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, data(inner)]));
  };
  return { text, data, holds: (given) => failing(() => holds(given, scope.names)), names: scope.names };
}

export function failing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateError || error instanceof ExpressionError) {
      throw new StepFailure('EXECUTION.STEP.BAD_VALUE', error.message);
    }
    throw error;
  }
}
