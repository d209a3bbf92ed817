import type { JsonText } from './json-text.js';
import type { PortName, Tier } from './ports.js';

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
 * Who has a tool beside those whom grants give it. `open`: whoever is there, unless it was taken away, for what shows and
 * gives nobody more than he has. `named`: only whom an entry gives it that names it; `*` and all rights do not.
 */
export type Reach = 'open' | 'named';

/** How a tool made of nodes hangs together. `exit` stands for the end. */
export interface GraphShape {
  readonly first: string;
  readonly edges: Readonly<Record<string, readonly string[]>>;
}

/** A tool as data. `definition` is what clients are shown, kept as the text that its author sent. */
export interface ToolSpec {
  readonly kind: 'tool';
  readonly name: string;
  /** The name by which its provider knows it. */
  readonly localName: string;
  readonly source: Source;
  readonly effect: Effect;
  readonly hints: Hints;
  readonly definition: JsonText;
  /** Only of our own tools: what they need to work, what they use if it is there, and their tier. */
  readonly needs?: readonly PortName[];
  readonly optional?: readonly PortName[];
  readonly tier?: Tier;
  /** Only of our own tools: other spellings that are read as an argument. */
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

/** Everything that one provider offers, as last known. */
export interface Catalogue {
  readonly tools: readonly ToolSpec[];
  readonly prompts: readonly PromptSpec[];
  readonly resources: readonly ResourceSpec[];
  readonly templates: readonly TemplateSpec[];
  /** What the provider tells the model about itself. */
  readonly instructions?: string;
}

export const emptyCatalogue: Catalogue = Object.freeze({
  tools: [],
  prompts: [],
  resources: [],
  templates: [],
});
