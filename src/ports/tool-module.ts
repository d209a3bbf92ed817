import type { Exchange, PortName, Session, ToolDefinition } from '../core/index.js';
import type { ToolPorts } from './tool-ports.js';

/** What a running tool can use: the exchange of its call, and exactly the ports it declared. */
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

/** The result of a tool without an output schema: text or content blocks. */
export type PlainResult = string | { readonly content: readonly ContentBlock[] };

/** The result of a tool with an output schema: the data, and the same as text for clients that ignore data. */
export interface TypedResult<Output> {
  readonly data: Output;
  /** Default: the data as JSON. */
  readonly text?: string;
  /** Additional blocks, such as an image, placed after the text. */
  readonly content?: readonly ContentBlock[];
}

export type ToolResult = PlainResult | TypedResult<unknown>;

/**
 * A tool definition, from which schema, listing, decoding, dispatch, docs and tests are derived. Create it with
 * `defineTool` or `defineGraph`, which check its types.
 */
export interface ToolModule extends ToolDefinition {
  run(input: never, context: ToolContext<PortName, PortName>): ToolResult | Promise<ToolResult>;
}
