import type { Effect, Hints, InputOf, OutputOf, PortName, Schema, Tier } from '../core/index.js';
import type { PlainResult, ToolContext, ToolModule, TypedResult } from '../ports/tool-module.js';

/** A schema for objects: arguments and results have names. */
export type ObjectSchema = Schema<object, object>;

/** The result of a tool: data that matches its output schema, or plain content if it has none. */
export type ResultOf<Output extends ObjectSchema | undefined> = Output extends ObjectSchema
  ? TypedResult<InputOf<Output>>
  : PlainResult;

/** Read-only tools cannot have the `destructive` hint. */
type HintsOf<E extends Effect> = E extends 'read' | 'ask'
  ? Hints & { readonly readOnly?: true; readonly destructive?: false }
  : Hints & { readonly readOnly?: false };

/** Everything about a tool except its code. */
export interface ToolWords<
  E extends Effect,
  Input extends ObjectSchema,
  Output extends ObjectSchema | undefined,
  Needs extends PortName,
  Optional extends PortName,
> {
  /** snake_case and matching the file: `find_callers` in `find-callers.tool.ts`. */
  readonly name: string;
  readonly title: string;
  /** Describe what it does and when to use it, for a model that knows nothing else about it. */
  readonly description: string;
  readonly effect: E;
  /** Only hints that do not follow from the effect. */
  readonly hints?: HintsOf<E>;
  /** Required ports. Without them, calls fail with `need.unavailable`. */
  readonly needs?: readonly Needs[];
  /** Optional ports. */
  readonly optional?: readonly Exclude<Optional, Needs>[];
  readonly tier?: Tier;
  readonly input: Input;
  readonly output?: Output;
  /** Aliases that callers may use for an argument. */
  readonly aliases?: { readonly [Argument in keyof InputOf<Input>]?: readonly string[] };
}

export interface ToolDefinition<
  E extends Effect,
  Input extends ObjectSchema,
  Output extends ObjectSchema | undefined,
  Needs extends PortName,
  Optional extends PortName,
> extends ToolWords<E, Input, Output, Needs, Optional> {
  run(
    input: OutputOf<Input>,
    context: ToolContext<Needs, Exclude<Optional, Needs>>,
  ): ResultOf<Output> | Promise<ResultOf<Output>>;
}

/** Defines a tool: name, description, schemas and code in one place. */
export function defineTool<
  E extends Effect,
  Input extends ObjectSchema,
  Output extends ObjectSchema | undefined = undefined,
  Needs extends PortName = never,
  Optional extends PortName = never,
>(tool: ToolDefinition<E, Input, Output, Needs, Optional>): ToolModule;
// The gateway passes the declared ports and the parsed input, so the types above hold.
export function defineTool(tool: object): ToolModule {
  return Object.freeze({ ...tool } as ToolModule);
}
