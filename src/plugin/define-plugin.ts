import type { InputOf, OutputOf, Schema } from '../core/index.js';

/** A schema for objects: arguments and results have names. */
export type ObjectSchema = Schema<object, object>;

/** The context of a call. */
export interface OperationContext {
  /** Aborts when the caller cancels, or the plugin is asked to stop. */
  readonly signal: AbortSignal;
  /** The settings from `Init`. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** The result of an operation: data that matches its output schema, or text if it has none. */
export type OperationResult<Output extends ObjectSchema | undefined> = Output extends ObjectSchema
  ? { readonly data: InputOf<Output>; readonly text?: string }
  : string;

export interface Operation<Input extends ObjectSchema, Output extends ObjectSchema | undefined> {
  /** Describe what it does and when to use it, for a model that knows nothing else about it. */
  readonly description: string;
  readonly input: Input;
  readonly output?: Output;
  run(
    input: OutputOf<Input>,
    context: OperationContext,
  ): OperationResult<Output> | Promise<OperationResult<Output>>;
}

/** An operation without its type parameters. */
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

/** An event that a plugin emits in response to another. Its manifest must list the type under `events.emit`. */
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
  /** Called once with the settings, before anything else. Throw if the plugin cannot work. */
  init?(config: Readonly<Record<string, unknown>>): void | Promise<void>;
  shutdown?(): void | Promise<void>;
}

/** Defines an operation with inferred types. */
export function defineOperation<
  Input extends ObjectSchema,
  Output extends ObjectSchema | undefined = undefined,
>(operation: Operation<Input, Output>): AnyOperation {
  // The schemas of this operation produce the values passed to its code.
  return operation as AnyOperation;
}

/** Defines a plugin: operations, step types, validators and event handlers. */
export function definePlugin(plugin: Plugin): Plugin {
  for (const name of [...Object.keys(plugin.operations ?? {}), ...Object.keys(plugin.stepTypes ?? {})])
    if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name))
      throw new Error(`${plugin.name}: "${name}" is not a valid name for an operation or step type`);
  return Object.freeze({ ...plugin });
}
