import {
  type CompiledModel,
  referenceOf,
  type RelationModel,
  type Restriction,
  type Rewrite,
} from './model.js';

/** A rewrite with resolved names. */
export type Rule =
  | { readonly kind: 'direct' }
  | { readonly kind: 'computed'; readonly relation: Relation }
  | { readonly kind: 'through'; readonly tupleset: Relation; readonly relation: string }
  | { readonly kind: 'or' | 'and'; readonly of: readonly Rule[] }
  | { readonly kind: 'not'; readonly base: Rule; readonly subtract: Rule };

/** A relation of one type, as the evaluator uses it. */
export interface Relation {
  /** Index among the relations of the model. */
  readonly index: number;
  readonly type: string;
  readonly name: string;
  readonly rule: Rule;
  readonly restrictions: readonly Restriction[];
  /** Allowed users (`user`, `user:*`, `group#member`) and their conditions; an empty name means none. */
  readonly allowed: ReadonlyMap<string, ReadonlySet<string>>;
  readonly allowsUsersets: boolean;
  /** Every user reference reachable from here. */
  readonly reaches: ReadonlySet<string>;
  /** Whether it is acyclic and cheap to compute, so that caching is not worth it. */
  readonly isPlain: boolean;
}

/** The model as a graph of relations. */
export interface LinkedModel {
  readonly relations: readonly Relation[];
  readonly hasType: (type: string) => boolean;
  readonly find: (type: string, relation: string) => Relation | undefined;
}

interface Draft extends Relation {
  rule: Rule;
  isPlain: boolean;
  readonly reaches: Set<string>;
}

/** Resolves all names of a compiled model once. */
export function linkModel(model: CompiledModel): LinkedModel {
  const relations: Draft[] = [];
  const types = new Map<string, ReadonlyMap<string, Draft>>();
  for (const type of model.types) {
    const drafts = type.relations.map((relation) => draft(type.name, relation, relations));
    types.set(type.name, new Map(drafts.map((one) => [one.name, one])));
  }
  const find = (type: string, relation: string): Draft | undefined => types.get(type)?.get(relation);
  for (const type of model.types) {
    for (const { name, rewrite } of type.relations) {
      const relation = find(type.name, name);
      if (relation !== undefined) relation.rule = link(rewrite, type.name, find);
    }
  }
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = relations.reduce((grew, relation) => growReach(relation, find) || grew, false);
  }
  for (const relation of relations)
    relation.isPlain = !meetsItself(relation, find) && stepsOf(relation.rule) <= maxPlainSteps;
  return { relations, hasType: (type) => types.has(type), find };
}

function draft(type: string, { name, direct }: RelationModel, relations: Draft[]): Draft {
  const allowed = new Map<string, Set<string>>();
  for (const one of direct) {
    const reference = referenceOf(one);
    allowed.set(reference, (allowed.get(reference) ?? new Set()).add(one.condition ?? ''));
  }
  const made: Draft = {
    index: relations.length,
    type,
    name,
    rule: { kind: 'or', of: [] },
    restrictions: direct,
    allowed,
    allowsUsersets: direct.some((one) => one.relation !== undefined),
    reaches: new Set([`${type}#${name}`]),
    isPlain: false,
  };
  relations.push(made);
  return made;
}

/** Above this number of steps, an acyclic relation is worth caching. */
const maxPlainSteps = 64;

function meetsItself(relation: Relation, find: Find): boolean {
  const seen = new Set(neighbours(relation, find));
  for (const next of seen) for (const one of neighbours(next, find)) seen.add(one);
  return seen.has(relation);
}

function stepsOf(rule: Rule, sofar = 0): number {
  if (sofar > maxPlainSteps) return sofar;
  if (rule.kind === 'computed') return stepsOf(rule.relation.rule, sofar + 1);
  if (rule.kind === 'not') return stepsOf(rule.subtract, stepsOf(rule.base, sofar));
  if (rule.kind === 'or' || rule.kind === 'and')
    return rule.of.reduce((sum, child) => stepsOf(child, sum), sofar);
  return sofar + 1;
}

type Find = (type: string, relation: string) => Draft | undefined;

function link(rewrite: Rewrite, type: string, find: Find): Rule {
  const found = (name: string): Draft => {
    const relation = find(type, name);
    if (relation === undefined) throw new Error(`${type}#${name} is not in the compiled model`);
    return relation;
  };
  switch (rewrite.kind) {
    case 'direct':
      return rewrite;
    case 'computed':
      return { kind: 'computed', relation: found(rewrite.relation) };
    case 'through':
      return { kind: 'through', tupleset: found(rewrite.tupleset), relation: rewrite.relation };
    case 'not':
      return {
        kind: 'not',
        base: link(rewrite.base, type, find),
        subtract: link(rewrite.subtract, type, find),
      };
    default:
      return { kind: rewrite.kind, of: rewrite.of.map((child) => link(child, type, find)) };
  }
}

function growReach(relation: Draft, find: Find): boolean {
  const before = relation.reaches.size;
  for (const next of neighbours(relation, find)) {
    for (const reference of next.reaches) relation.reaches.add(reference);
  }
  if (isAssignable(relation.rule))
    for (const reference of relation.allowed.keys()) relation.reaches.add(reference);
  return relation.reaches.size > before;
}

function isAssignable(rule: Rule): boolean {
  if (rule.kind === 'not') return isAssignable(rule.base) || isAssignable(rule.subtract);
  if (rule.kind === 'or' || rule.kind === 'and') return rule.of.some((child) => isAssignable(child));
  return rule.kind === 'direct';
}

/** The relations that a relation depends on. */
export function neighbours(
  relation: Relation,
  find: (type: string, relation: string) => Relation | undefined,
): readonly Relation[] {
  const found: (Relation | undefined)[] = [];
  const walk = (rule: Rule): void => {
    if (rule.kind === 'direct') {
      for (const one of relation.restrictions)
        if (one.relation !== undefined) found.push(find(one.type, one.relation));
    } else if (rule.kind === 'computed') found.push(rule.relation);
    else if (rule.kind === 'through')
      for (const parent of rule.tupleset.restrictions) found.push(find(parent.type, rule.relation));
    else if (rule.kind === 'not') [rule.base, rule.subtract].forEach(walk);
    else rule.of.forEach(walk);
  };
  walk(relation.rule);
  return found.filter((one) => one !== undefined);
}
