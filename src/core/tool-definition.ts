import type { PortName, Tier } from './port-tiers.js';
import type { Schema } from './schema.js';
import type { Effect, GraphShape, Hints, Reach } from './tool.js';

/** What the author of a tool declares: everything but the code. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly hints?: Hints;
  readonly needs?: readonly PortName[];
  readonly optional?: readonly PortName[];
  /** Set only if the tier derived from `needs` would be wrong. */
  readonly tier?: Tier;
  readonly input: Schema;
  readonly output?: Schema;
  /** Aliases of arguments: `{ file_path: ['path'] }`. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  readonly graph?: GraphShape;
  readonly reach?: Reach;
}
