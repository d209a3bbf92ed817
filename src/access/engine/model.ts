/** How a relation is computed. */
export type Rewrite =
  | { readonly kind: 'direct' }
  | { readonly kind: 'computed'; readonly relation: string }
  | { readonly kind: 'through'; readonly tupleset: string; readonly relation: string }
  | { readonly kind: 'or' | 'and'; readonly of: readonly Rewrite[] }
  | { readonly kind: 'not'; readonly base: Rewrite; readonly subtract: Rewrite };

/** The allowed user of a tuple: `type`, `type:*` or `type#relation`, optionally only with a condition. */
export interface Restriction {
  readonly type: string;
  readonly relation?: string;
  readonly wildcard?: boolean;
  readonly condition?: string;
}

export interface RelationModel {
  readonly name: string;
  readonly rewrite: Rewrite;
  readonly direct: readonly Restriction[];
}

export interface TypeModel {
  readonly name: string;
  readonly relations: readonly RelationModel[];
}

export const parameterKinds = [
  'any',
  'bool',
  'string',
  'int',
  'uint',
  'double',
  'duration',
  'timestamp',
  'ipaddress',
  'map',
  'list',
] as const;

export interface ParameterType {
  readonly kind: (typeof parameterKinds)[number];
  /** Element type of a map or list. */
  readonly of?: ParameterType;
}

export interface ConditionModel {
  readonly name: string;
  readonly expression: string;
  readonly parameters: readonly { readonly name: string; readonly type: ParameterType }[];
}

/** A checked model as plain data. It can be stored as JSON and loaded without the parser. */
export interface CompiledModel {
  readonly format: 1;
  readonly types: readonly TypeModel[];
  readonly conditions: readonly ConditionModel[];
}

/** Formats a restriction without its condition: `user`, `user:*` or `group#member`. */
export function referenceOf({ type, relation, wildcard }: Restriction): string {
  if (wildcard === true) return `${type}:*`;
  return relation === undefined ? type : `${type}#${relation}`;
}
