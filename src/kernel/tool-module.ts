import type { Exchange } from './exchange.js';
import type { PortName, Tier, ToolPorts } from './ports.js';
import type { Schema } from './schema.js';
import type { Session } from './session.js';
import type { Effect, GraphShape, Hints, Reach } from './tool.js';

/** What a tool may use while it runs: the line of its call, and exactly the ports that it named. */
export interface ToolContext<Needs extends PortName = never, Optional extends PortName = never> {
  readonly exchange: Exchange;
  readonly session: Session;
  readonly ports: Pick<ToolPorts, Needs> & Partial<Pick<ToolPorts, Optional>>;
}

/** A block of MCP content: `{ type: 'text', text }`, `{ type: 'image', data, mimeType }` and so on. */
export interface ContentBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** What a tool without an output schema gives: text, or blocks. */
export type PlainResult = string | { readonly content: readonly ContentBlock[] };

/** What a tool with an output schema gives: the data, and a text that says the same to those who read only text. */
export interface TypedResult<Output> {
  readonly data: Output;
  /** Left out: the data as JSON. */
  readonly text?: string;
  /** Blocks that no text can say, such as an image; they come after the text. */
  readonly content?: readonly ContentBlock[];
}

export type ToolResult = PlainResult | TypedResult<unknown>;

/**
 * A tool as the gate knows it: one definition from which schema, listing, decoding, dispatch, docs and tests derive.
 * Authors make one with `defineTool` or `defineGraph`, which know its types.
 */
export interface ToolModule {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly hints?: Hints;
  readonly needs?: readonly PortName[];
  readonly optional?: readonly PortName[];
  /** Stated only where the tier that follows from the needs would mislead. */
  readonly tier?: Tier;
  readonly input: Schema;
  readonly output?: Schema;
  /** Other spellings that are read as an argument: `{ file_path: ['path'] }`. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  readonly graph?: GraphShape;
  readonly reach?: Reach;
  run(input: never, context: ToolContext<PortName, PortName>): ToolResult | Promise<ToolResult>;
}
