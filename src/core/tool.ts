import type { JsonText } from '../lib/json-text.js';
import type { PortName, Tier } from './port-tiers.js';

export type Effect = 'read' | 'write' | 'execute' | 'ask';

export interface Hints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** Where a definition comes from. */
export type Source = 'builtin' | 'workspace' | `plugin:${string}` | `server:${string}`;

/**
 * Access rules beyond normal grants. `open`: everyone, unless blocked; for tools that never reveal more than the caller
 * can see. `named`: only callers with an entry for exactly this name; `*` and full rights are not enough. `workflow`: only
 * workflow operations, within the rights of the run; lists, search and other calls do not find it.
 */
export type Reach = 'open' | 'named' | 'workflow';

/** The nodes and edges of a graph tool. `exit` is the end. */
export interface GraphShape {
  readonly first: string;
  readonly edges: Readonly<Record<string, readonly string[]>>;
}

/** A tool as data. `definition` is what clients see, kept as its source text. */
export interface ToolSpec {
  readonly kind: 'tool';
  readonly name: string;
  /** The provider's name for it, without the prefix. */
  readonly localName: string;
  readonly source: Source;
  readonly effect: Effect;
  readonly hints: Hints;
  readonly definition: JsonText;
  /** Built-in tools only: required ports, optional ports and tier. */
  readonly needs?: readonly PortName[];
  readonly optional?: readonly PortName[];
  readonly tier?: Tier;
  /** Built-in tools only: aliases of arguments. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  readonly graph?: GraphShape;
  readonly reach?: Reach;
}

export interface PromptSpec {
  readonly kind: 'prompt';
  readonly name: string;
  readonly localName: string;
  readonly source: Source;
  readonly definition: JsonText;
}

export interface ResourceSpec {
  readonly kind: 'resource';
  readonly uri: string;
  readonly source: Source;
  readonly definition: JsonText;
}

export interface TemplateSpec {
  readonly kind: 'template';
  readonly uriTemplate: string;
  readonly source: Source;
  readonly definition: JsonText;
}

export type Spec = ToolSpec | PromptSpec | ResourceSpec | TemplateSpec;

/** The last known lists of one provider. */
export interface Catalogue {
  readonly tools: readonly ToolSpec[];
  readonly prompts: readonly PromptSpec[];
  readonly resources: readonly ResourceSpec[];
  readonly templates: readonly TemplateSpec[];
  /** Instructions from the provider for the model. */
  readonly instructions?: string;
}

export const emptyCatalogue: Catalogue = Object.freeze({
  tools: [],
  prompts: [],
  resources: [],
  templates: [],
});
