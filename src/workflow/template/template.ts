/** What a text with {{ }} says: the language is Go's text/template, as workflows use it. */
export interface Template {
  readonly nodes: readonly TemplateNode[];
  readonly references: readonly Reference[];
}

export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'show'; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if' | 'with';
      readonly pipeline: Pipeline;
      readonly then: Nodes;
      readonly otherwise: Nodes;
    }
  | { readonly kind: 'range'; readonly pipeline: Pipeline; readonly then: Nodes; readonly otherwise: Nodes };

export type Nodes = readonly TemplateNode[];

/** `$i, $x := a | b c | d`: each command gets the value before it as its last argument. */
export interface Pipeline {
  readonly variables: readonly string[];
  readonly isAssignment: boolean;
  readonly commands: readonly (readonly Operand[])[];
}

export type Operand =
  | { readonly kind: 'value'; readonly value: string | number | boolean | null }
  | { readonly kind: 'function'; readonly name: string }
  /** A way into the namespaces. */
  | { readonly kind: 'root'; readonly path: readonly string[]; readonly isBare: boolean }
  /** A way into what `range` or `with` put into the dot. */
  | { readonly kind: 'dot'; readonly path: readonly string[] }
  | { readonly kind: 'variable'; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: 'pipeline'; readonly pipeline: Pipeline; readonly path: readonly string[] };

/** A use of a namespace: `inputs.name`, `states.build.Output`. */
export interface Reference {
  readonly path: readonly string[];
  /** Without the dot in front. Then some properties are written in small letters. */
  readonly isBare: boolean;
  /** Where it stands in the text. */
  readonly offset: number;
  /** Whether a shell would be shown the value in quotes. */
  readonly isEscaped: boolean;
}

export const namespaces = [
  'inputs',
  'states',
  'workflow',
  'env',
  'loop',
  'error',
  'context',
  'awf',
  'tidegate',
] as const;

/** Functions of workflows, and those that Go's templates always have. */
export const functionNames = [
  'escape',
  'json',
  'split',
  'join',
  'readFile',
  'trimSpace',
  'and',
  'or',
  'not',
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
  'len',
  'index',
  'print',
  'printf',
  'println',
] as const;

/** Why a text cannot be read or filled in. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  /** Where in the text. */
  readonly offset: number;

  constructor(message: string, offset = 0) {
    super(message);
    this.offset = offset;
  }
}
