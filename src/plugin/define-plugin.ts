import type { InputOf, OutputOf, Schema } from '../kernel/index.js';

/** A schema whose values are objects: arguments and results have names. */
export type ObjectSchema = Schema<object, object>;

/** What runs with a call. */
export interface OperationContext {
  /** Aborts when the caller gives up, or the plugin is told to end. */
  readonly signal: AbortSignal;
  /** What `Init` was told. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** What an operation gives: data that fits its output schema, or a text when it declared none. */
export type OperationResult<Output extends ObjectSchema | undefined> = Output extends ObjectSchema
  ? { readonly data: InputOf<Output>; readonly text?: string }
  : string;

export interface Operation<Input extends ObjectSchema, Output extends ObjectSchema | undefined> {
  /** For a model that knows nothing else of it: what it does, and when to use it. */
  readonly description: string;
  readonly input: Input;
  readonly output?: Output;
  run(
    input: OutputOf<Input>,
    context: OperationContext,
  ): OperationResult<Output> | Promise<OperationResult<Output>>;
}

/** An operation whose types its author knows and nobody else needs to. */
export interface AnyOperation {
  readonly description: string;
  readonly input: Schema;
  readonly output?: Schema;
  run(input: never, context: OperationContext): unknown;
}

export interface Step {
  readonly stepName: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, unknown>>;
}

export interface StepResult {
  readonly output?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly exitCode?: number;
}

export interface StepType {
  readonly description: string;
  run(step: Step, context: OperationContext): StepResult | Promise<StepResult>;
}

export interface Issue {
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly step?: string;
  readonly field?: string;
}

export interface Workflow {
  readonly name?: string;
  readonly initial?: string;
  readonly steps?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly [key: string]: unknown;
}

export interface Validators {
  workflow?(workflow: Workflow): readonly Issue[] | Promise<readonly Issue[]>;
  step?(workflow: Workflow, stepName: string): readonly Issue[] | Promise<readonly Issue[]>;
}

export interface Event {
  readonly type: string;
  readonly source: string;
  readonly payload: unknown;
  readonly metadata: Readonly<Record<string, string>>;
  readonly depth: number;
}

/** What a plugin tells in answer to an event. Its manifest must name the type under `events.emit`. */
export interface EmittedEvent {
  readonly type: string;
  readonly payload?: unknown;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly operations?: Readonly<Record<string, AnyOperation>>;
  readonly stepTypes?: Readonly<Record<string, StepType>>;
  readonly validators?: Validators;
  onEvent?(event: Event): readonly EmittedEvent[] | undefined | Promise<readonly EmittedEvent[] | undefined>;
  /** Told the settings once, before anything else. Throw to say why the plugin cannot work. */
  init?(config: Readonly<Record<string, unknown>>): void | Promise<void>;
  shutdown?(): void | Promise<void>;
}

/** Gives an operation its types. */
export function defineOperation<
  Input extends ObjectSchema,
  Output extends ObjectSchema | undefined = undefined,
>(operation: Operation<Input, Output>): AnyOperation {
  // The schemas of this very operation make what its code is given.
  return operation as AnyOperation;
}

/** Defines a plugin: its operations, step types, validators and what it makes of events stand in one place. */
export function definePlugin(plugin: Plugin): Plugin {
  for (const name of [...Object.keys(plugin.operations ?? {}), ...Object.keys(plugin.stepTypes ?? {})])
    if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name))
      throw new Error(`${plugin.name}: "${name}" cannot be the name of an operation or a step type`);
  return Object.freeze({ ...plugin });
}
