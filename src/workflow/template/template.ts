/** How deep blocks and parentheses of a template may be nested. */
export const deepest = 50;

/** A parsed text with {{ }}, in the subset of Go's text/template that workflows use. */
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

/** `$i, $x := a | b c | d`: each command gets the previous value as its last argument. */
export interface Pipeline {
  readonly variables: readonly string[];
  readonly isAssignment: boolean;
  readonly commands: readonly (readonly Operand[])[];
}

export type Operand =
  | { readonly kind: 'value'; readonly value: string | number | boolean | null }
  | { readonly kind: 'function'; readonly name: string }
  /** Path from the namespaces. */
  | { readonly kind: 'root'; readonly path: readonly string[]; readonly isBare: boolean }
  /** Path from the dot that `range` or `with` set. */
  | { readonly kind: 'dot'; readonly path: readonly string[] }
  | { readonly kind: 'variable'; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: 'pipeline'; readonly pipeline: Pipeline; readonly path: readonly string[] };

/** A use of a namespace: `inputs.name`, `states.build.Output`. */
export interface Reference {
  readonly path: readonly string[];
  /** Written without the leading dot. Some properties are lowercase then. */
  readonly isBare: boolean;
  /** Position in the text. */
  readonly offset: number;
  /** Whether the value is quoted for the shell. */
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

/** Workflow functions, and the built-in functions of Go templates. */
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

/** A template that cannot be parsed or filled in. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  /** Position in the text. */
  readonly offset: number;

  constructor(message: string, offset = 0) {
    super(message);
    this.offset = offset;
  }
}
