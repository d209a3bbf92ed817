import type { Exchange } from './exchange.js';
import type { Session } from './session.js';
import type { Effect, Hints } from './tool.js';

/** What a tool may use while it runs. */
export interface ToolContext {
  readonly exchange: Exchange;
  readonly session: Session;
}

/** What a tool gives back: plain text, or a whole MCP tool result. */
export type ToolOutput =
  | string
  | { readonly content: readonly unknown[]; readonly [member: string]: unknown };

/** A tool as its author writes it: one definition from which listing, checking and dispatch derive. */
export interface ToolModule<Input = never> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly hints?: Hints;
  /** JSON Schema (2020-12) of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>> & { readonly type: 'object' };
  run(input: Input, context: ToolContext): Promise<ToolOutput> | ToolOutput;
}
