// The evaluator. Every node (a relation of an object, for one user) has one of four values. ALLOW and DENY are final.
// CYCLE ("depends on itself") and ERROR mean "unknown": they never override a final value, and a result of either denies.
// So a loop, a missing value or a failing condition under `but not` denies.
import { AccessError } from './access-error.js';
import { isAllowed } from './check-tuple.js';
import type { Conditions, Context } from './conditions.js';
import type { LinkedModel, Relation, Rule } from './linked-model.js';
import type { Relationship, User } from './tuple.js';
import type { TupleSource } from './tuple-source.js';

export const DENY = 0;
export const ALLOW = 1;
export const CYCLE = 2;
export const ERROR = 3;
export type Value = typeof DENY | typeof ALLOW | typeof CYCLE | typeof ERROR;

export interface EvaluationParts {
  readonly model: LinkedModel;
  readonly conditions: Conditions;
  readonly source: TupleSource;
  readonly user: User;
  readonly context: Context;
  readonly maxDepth: number;
}

/** Evaluates for one user and one context. Caches results, so it must not outlive the request. */
export interface Evaluation {
  /** Whether the user has the relation. Throws if that is unknown. */
  isAllowed(relation: Relation, object: string): boolean;
  /** The value with its reason, for explaining. */
  value(relation: Relation, object: string): Value;
  /** The value of a part of a relation's rule. */
  part(rule: Rule, relation: Relation, object: string): Value;
  /** The first error since the last check. */
  error(): AccessError | undefined;
  /** Whether a tuple counts now: the model allows it and its condition is met. */
  counts(relationship: Relationship, relation: Relation): Value;
}

interface Visit {
  pass: number;
  depth: number;
  value: Value;
  /** Whether the depth limit was reached below, so that a shorter path may find more. */
  isDeep: boolean;
}

/** Maximum nodes per check: far more than any real graph has, and still fast. */
const maxVisits = 1_000_000;
const noContext: Context = {};

export function createEvaluation(parts: EvaluationParts): Evaluation {
  const { model, conditions, source, user, context, maxDepth } = parts;
  const wildcard = user.userRelation === '' && !user.isWildcard ? `${user.userType}:*` : undefined;
  const reference = user.isWildcard ? user.userType : user.reference;
  const publicReference = `${user.userType}:*`;
  const settled: (Map<string, boolean> | undefined)[] = [];
  const visits: (Map<string, Visit> | undefined)[] = [];
  let pass = 0;
  let visitCount = 0;
  let newlySettled = 0;
  let deepHits = 0;
  let firstError: AccessError | undefined;

  return { isAllowed: ask, value: valueOf, part, error: () => firstError, counts };

  function ask(relation: Relation, object: string): boolean {
    const value = valueOf(relation, object);
    if (value === ERROR) throw firstError ?? new AccessError('check.too_complex', 'the check failed');
    return value === ALLOW;
  }

  function valueOf(relation: Relation, object: string): Value {
    return settle(() => step(relation, object, 0));
  }

  function part(rule: Rule, relation: Relation, object: string): Value {
    return settle(() => apply(rule, relation, object, 0));
  }

  /**
   * A pass visits every node once and assumes CYCLE for nodes it meets again. This guess can hide an answer, so passes
   * repeat until one learns nothing new.
   */
  function settle(look: () => Value): Value {
    firstError = undefined;
    visitCount = 0;
    for (;;) {
      pass++;
      newlySettled = 0;
      const value = look();
      if (value === ALLOW || value === DENY || newlySettled === 0) return value;
      if (visitCount > maxVisits) return value;
      firstError = undefined;
    }
  }

  /** A step on the same object. Simple relations are computed directly, which is cheaper than caching. */
  function step(relation: Relation, object: string, depth: number): Value {
    if (!relation.isPlain || depth >= maxDepth) return visit(relation, object, depth);
    return evident(relation, object) ?? apply(relation.rule, relation, object, depth);
  }

  /** Answers that need no tuples. */
  function evident(relation: Relation, object: string): Value | undefined {
    if (user.userRelation === relation.name && user.userObject === object) return ALLOW;
    const { reaches } = relation;
    if (reaches.has(reference) || (user.userRelation === '' && reaches.has(publicReference)))
      return undefined;
    return DENY;
  }

  function visit(relation: Relation, object: string, depth: number): Value {
    const value = evident(relation, object);
    if (value !== undefined) return value;
    const known = settled[relation.index]?.get(object);
    if (known !== undefined) return known ? ALLOW : DENY;
    const before = visits[relation.index]?.get(object);
    if (before?.pass === pass && !(before.isDeep && depth < before.depth)) {
      if (before.isDeep) deepHits++;
      return before.value;
    }
    if (depth >= maxDepth) return tooDeep(relation, object);
    if (++visitCount > maxVisits)
      return fail(new AccessError('check.too_complex', 'the check visits too many relations'));
    return enter(relation, object, depth);
  }

  function enter(relation: Relation, object: string, depth: number): Value {
    const deepBefore = deepHits;
    const mark: Visit = { pass, depth, value: CYCLE, isDeep: false };
    (visits[relation.index] ??= new Map<string, Visit>()).set(object, mark);
    const value = apply(relation.rule, relation, object, depth);
    if (value === ALLOW || value === DENY) {
      (settled[relation.index] ??= new Map<string, boolean>()).set(object, value === ALLOW);
      newlySettled++;
      return value;
    }
    mark.value = value;
    mark.isDeep = deepHits > deepBefore;
    return value;
  }

  function apply(rule: Rule, relation: Relation, object: string, depth: number): Value {
    switch (rule.kind) {
      case 'direct':
        return direct(relation, object, depth);
      case 'computed':
        return step(rule.relation, object, depth + 1);
      case 'through':
        return from(rule.tupleset, rule.relation, object, depth);
      case 'or':
        return union(rule.of, relation, object, depth);
      case 'and':
        return intersection(rule.of, relation, object, depth);
      case 'not':
        return exclusion(rule, relation, object, depth);
    }
  }

  function union(rules: readonly Rule[], relation: Relation, object: string, depth: number): Value {
    let worst: Value = DENY;
    for (const rule of rules) {
      const value = apply(rule, relation, object, depth);
      if (value === ALLOW) return ALLOW;
      if (value > worst) worst = value;
    }
    return worst;
  }

  function intersection(rules: readonly Rule[], relation: Relation, object: string, depth: number): Value {
    let worst: Value = ALLOW;
    for (const rule of rules) {
      const value = apply(rule, relation, object, depth);
      if (value === DENY) return DENY;
      if (value > worst) worst = value;
    }
    return worst;
  }

  function exclusion(
    rule: { readonly base: Rule; readonly subtract: Rule },
    relation: Relation,
    object: string,
    depth: number,
  ): Value {
    const base = apply(rule.base, relation, object, depth);
    if (base === DENY) return DENY;
    const subtract = apply(rule.subtract, relation, object, depth);
    if (subtract === ALLOW) return DENY;
    if (subtract === DENY) return base;
    return base === ERROR ? ERROR : subtract;
  }

  function direct(relation: Relation, object: string, depth: number): Value {
    let worst: Value = relation.allowed.has(user.reference) ? tuple(relation, object, user.user) : DENY;
    if (worst === ALLOW) return ALLOW;
    if (wildcard !== undefined && relation.allowed.has(wildcard)) {
      const value = tuple(relation, object, wildcard);
      if (value === ALLOW) return ALLOW;
      if (value > worst) worst = value;
    }
    if (!relation.allowsUsersets) return worst;
    for (const relationship of source.usersetsOf(object, relation.name)) {
      const value = throughUserset(relationship, relation, depth);
      if (value === ALLOW) return ALLOW;
      if (value > worst) worst = value;
    }
    return worst;
  }

  function tuple(relation: Relation, object: string, who: string): Value {
    const relationship = source.find(object, relation.name, who);
    return relationship === undefined ? DENY : counts(relationship, relation);
  }

  function throughUserset(relationship: Relationship, relation: Relation, depth: number): Value {
    const value = counts(relationship, relation);
    if (value !== ALLOW) return value;
    const next = model.find(relationship.userType, relationship.userRelation);
    return next === undefined ? DENY : visit(next, relationship.userObject, depth + 1);
  }

  function from(tupleset: Relation, name: string, object: string, depth: number): Value {
    let worst: Value = DENY;
    for (const relationship of source.of(object, tupleset.name)) {
      const next = model.find(relationship.userType, name);
      if (next === undefined) continue;
      let value = counts(relationship, tupleset);
      if (value === ALLOW) value = visit(next, relationship.userObject, depth + 1);
      if (value === ALLOW) return ALLOW;
      if (value > worst) worst = value;
    }
    return worst;
  }

  function counts(relationship: Relationship, relation: Relation): Value {
    if (!isAllowed(relationship, relation)) return DENY;
    const { condition } = relationship;
    if (condition === undefined) return ALLOW;
    try {
      const known = conditions.get(condition.name);
      if (known === undefined)
        return fail(new AccessError('condition.not_loaded', `condition ${condition.name} is not loaded`));
      // Values in the tuple override values in the request.
      return known.isMet({ ...context, ...(condition.context ?? noContext) }) ? ALLOW : DENY;
    } catch (error) {
      if (error instanceof AccessError) return fail(error);
      throw error;
    }
  }

  function tooDeep(relation: Relation, object: string): Value {
    deepHits++;
    return fail(
      new AccessError('check.too_deep', `${object}#${relation.name} is more than ${maxDepth} steps away`),
    );
  }

  function fail(error: AccessError): Value {
    firstError ??= error;
    return ERROR;
  }
}
