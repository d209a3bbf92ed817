import type {
  Effect,
  Hints,
  InputOf,
  OutputOf,
  PlainResult,
  PortName,
  Schema,
  Tier,
  ToolContext,
  ToolModule,
  TypedResult,
} from '../kernel/index.js';

/** A schema whose values are objects: arguments and results have names. */
export type ObjectSchema = Schema<object, object>;

/** What a tool gives: data that fits its output schema, or plain content when it declared none. */
export type ResultOf<Output extends ObjectSchema | undefined> = Output extends ObjectSchema
  ? TypedResult<InputOf<Output>>
  : PlainResult;

/** What only reads cannot destroy, whatever its hints say. */
type HintsOf<E extends Effect> = E extends 'read' | 'ask'
  ? Hints & { readonly readOnly?: true; readonly destructive?: false }
  : Hints & { readonly readOnly?: false };

/** What an author writes about a tool, apart from its code. */
export interface ToolWords<
  E extends Effect,
  Input extends ObjectSchema,
  Output extends ObjectSchema | undefined,
  Needs extends PortName,
  Optional extends PortName,
> {
  /** snake_case, and the same as the file: `find_callers` in `find-callers.tool.ts`. */
  readonly name: string;
  readonly title: string;
  /** For a model that knows nothing else of the tool: what it does, and when to use it. */
  readonly description: string;
  readonly effect: E;
  /** Only what does not follow from the effect. */
  readonly hints?: HintsOf<E>;
  /** The ports that it gets. Without them it answers that it cannot work now. */
  readonly needs?: readonly Needs[];
  /** Ports that it gets when they are there. */
  readonly optional?: readonly Exclude<Optional, Needs>[];
  readonly tier?: Tier;
  readonly input: Input;
  readonly output?: Output;
  /** Other spellings that callers may use for an argument. */
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

/** Defines a tool. Its name, the words for the model, the schemas and the code stand in one place. */
export function defineTool<
  E extends Effect,
  Input extends ObjectSchema,
  Output extends ObjectSchema | undefined = undefined,
  Needs extends PortName = never,
  Optional extends PortName = never,
>(tool: ToolDefinition<E, Input, Output, Needs, Optional>): ToolModule;
// The gate gives a tool the ports that it named and the input that its schema made, so that the types above hold.
export function defineTool(tool: object): ToolModule {
  return Object.freeze({ ...tool } as ToolModule);
}
