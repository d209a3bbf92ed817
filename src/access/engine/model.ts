/** How a relation is computed. */
export type Rewrite =
  | { readonly kind: 'direct' }
  | { readonly kind: 'computed'; readonly relation: string }
  | { readonly kind: 'through'; readonly tupleset: string; readonly relation: string }
  | { readonly kind: 'or' | 'and'; readonly of: readonly Rewrite[] }
  | { readonly kind: 'not'; readonly base: Rewrite; readonly subtract: Rewrite };

/** Who may stand in a tuple: `type`, `type:*` or `type#relation`, each perhaps only with a condition. */
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
  /** What a map or list holds. */
  readonly of?: ParameterType;
}

export interface ConditionModel {
  readonly name: string;
  readonly expression: string;
  readonly parameters: readonly { readonly name: string; readonly type: ParameterType }[];
}

/** A model that was checked, as plain data: it can be kept as JSON and needs no parser when it is read again. */
export interface CompiledModel {
  readonly format: 1;
  readonly types: readonly TypeModel[];
  readonly conditions: readonly ConditionModel[];
}

/** `user`, `user:*` or `group#member`: how a restriction is written, without its condition. */
export function referenceOf({ type, relation, wildcard }: Restriction): string {
  if (wildcard === true) return `${type}:*`;
  return relation === undefined ? type : `${type}#${relation}`;
}
