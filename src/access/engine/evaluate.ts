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
  /** Whether the depth limit was reached below. A shorter path may then find more. */
  isDeep: boolean;
}

/** Maximum nodes per check: far more than any real graph has, and still fast. */
const maxVisits = 1_000_000;
const noContext: Context = {};

export function createEvaluation(parts: EvaluationParts): Evaluation {
  return new Evaluator(parts);
}

class Evaluator implements Evaluation {
  readonly #parts: EvaluationParts;
  readonly #source: TupleSource;
  readonly #user: User;
  readonly #maxDepth: number;
  readonly #wildcard: string | undefined;
  readonly #reference: string;
  readonly #publicReference: string;
  readonly #settled: (Map<string, boolean> | undefined)[] = [];
  readonly #visits: (Map<string, Visit> | undefined)[] = [];
  #pass = 0;
  #visitCount = 0;
  #newlySettled = 0;
  #deepHits = 0;
  #firstError: AccessError | undefined;

  constructor(parts: EvaluationParts) {
    const { source, user, maxDepth } = parts;
    this.#parts = parts;
    this.#source = source;
    this.#user = user;
    this.#maxDepth = maxDepth;
    this.#wildcard = user.userRelation === '' && !user.isWildcard ? `${user.userType}:*` : undefined;
    this.#reference = user.isWildcard ? user.userType : user.reference;
    this.#publicReference = `${user.userType}:*`;
  }

  isAllowed(relation: Relation, object: string): boolean {
    const value = this.value(relation, object);
    if (value === ERROR) throw this.#firstError ?? new AccessError('check.too_complex', 'the check failed');
    return value === ALLOW;
  }

  value(relation: Relation, object: string): Value {
    return this.#settle(() => this.#step(relation, object, 0));
  }

  part(rule: Rule, relation: Relation, object: string): Value {
    return this.#settle(() => this.#apply(rule, relation, object, 0));
  }

  error(): AccessError | undefined {
    return this.#firstError;
  }

  counts(relationship: Relationship, relation: Relation): Value {
    if (!isAllowed(relationship, relation)) return DENY;
    const { condition } = relationship;
    if (condition === undefined) return ALLOW;
    try {
      const known = this.#parts.conditions.get(condition.name);
      if (known === undefined)
        return this.#fail(
          new AccessError('condition.not_loaded', `condition ${condition.name} is not loaded`),
        );
      // Values in the tuple override values in the request.
      return known.isMet({ ...this.#parts.context, ...(condition.context ?? noContext) }) ? ALLOW : DENY;
    } catch (error) {
      if (error instanceof AccessError) return this.#fail(error);
      throw error;
    }
  }

  /**
   * A pass visits every node once and assumes CYCLE for nodes it meets again. This guess can hide an answer, so passes
   * repeat until one learns nothing new.
   */
  #settle(look: () => Value): Value {
    this.#firstError = undefined;
    this.#visitCount = 0;
    for (;;) {
      this.#pass++;
      this.#newlySettled = 0;
      const value = look();
      if (value === ALLOW || value === DENY || this.#newlySettled === 0) return value;
      if (this.#visitCount > maxVisits) return value;
      this.#firstError = undefined;
    }
  }

  /** A step on the same object. Simple relations are computed directly, which is cheaper than caching. */
  #step(relation: Relation, object: string, depth: number): Value {
    if (!relation.isPlain || depth >= this.#maxDepth) return this.#visit(relation, object, depth);
    return this.#evident(relation, object) ?? this.#apply(relation.rule, relation, object, depth);
  }

  /** Answers that need no tuples. */
  #evident(relation: Relation, object: string): Value | undefined {
    if (this.#user.userRelation === relation.name && this.#user.userObject === object) return ALLOW;
    const { reaches } = relation;
    if (
      reaches.has(this.#reference) ||
      (this.#user.userRelation === '' && reaches.has(this.#publicReference))
    )
      return undefined;
    return DENY;
  }

  #visit(relation: Relation, object: string, depth: number): Value {
    const value = this.#evident(relation, object);
    if (value !== undefined) return value;
    const known = this.#settled[relation.index]?.get(object);
    if (known !== undefined) return known ? ALLOW : DENY;
    const before = this.#visits[relation.index]?.get(object);
    if (before?.pass === this.#pass && !(before.isDeep && depth < before.depth)) {
      if (before.isDeep) this.#deepHits++;
      return before.value;
    }
    if (depth >= this.#maxDepth) return this.#tooDeep(relation, object);
    if (++this.#visitCount > maxVisits)
      return this.#fail(new AccessError('check.too_complex', 'the check visits too many relations'));
    return this.#enter(relation, object, depth);
  }

  #enter(relation: Relation, object: string, depth: number): Value {
    const deepBefore = this.#deepHits;
    const mark: Visit = { pass: this.#pass, depth, value: CYCLE, isDeep: false };
    (this.#visits[relation.index] ??= new Map<string, Visit>()).set(object, mark);
    const value = this.#apply(relation.rule, relation, object, depth);
    if (value === ALLOW || value === DENY) {
      (this.#settled[relation.index] ??= new Map<string, boolean>()).set(object, value === ALLOW);
      this.#newlySettled++;
      return value;
    }
    mark.value = value;
    mark.isDeep = this.#deepHits > deepBefore;
    return value;
  }

  #apply(rule: Rule, relation: Relation, object: string, depth: number): Value {
    switch (rule.kind) {
      case 'direct':
        return this.#direct(relation, object, depth);
      case 'computed':
        return this.#step(rule.relation, object, depth + 1);
      case 'through':
        return this.#from(rule.tupleset, rule.relation, object, depth);
      case 'or':
        return this.#union(rule.of, relation, object, depth);
      case 'and':
        return this.#intersection(rule.of, relation, object, depth);
      case 'not':
        return this.#exclusion(rule, relation, object, depth);
    }
  }

  #union(rules: readonly Rule[], relation: Relation, object: string, depth: number): Value {
    let worst: Value = DENY;
    for (const rule of rules) {
      const value = this.#apply(rule, relation, object, depth);
      if (value === ALLOW) return ALLOW;
      if (value > worst) worst = value;
    }
    return worst;
  }

  #intersection(rules: readonly Rule[], relation: Relation, object: string, depth: number): Value {
    let worst: Value = ALLOW;
    for (const rule of rules) {
      const value = this.#apply(rule, relation, object, depth);
      if (value === DENY) return DENY;
      if (value > worst) worst = value;
    }
    return worst;
  }

  #exclusion(
    rule: { readonly base: Rule; readonly subtract: Rule },
    relation: Relation,
    object: string,
    depth: number,
  ): Value {
    const base = this.#apply(rule.base, relation, object, depth);
    if (base === DENY) return DENY;
    const subtract = this.#apply(rule.subtract, relation, object, depth);
    if (subtract === ALLOW) return DENY;
    if (subtract === DENY) return base;
    return base === ERROR ? ERROR : subtract;
  }

  #direct(relation: Relation, object: string, depth: number): Value {
    let worst: Value = relation.allowed.has(this.#user.reference)
      ? this.#tuple(relation, object, this.#user.user)
      : DENY;
    if (worst === ALLOW) return ALLOW;
    if (this.#wildcard !== undefined && relation.allowed.has(this.#wildcard)) {
      const value = this.#tuple(relation, object, this.#wildcard);
      if (value === ALLOW) return ALLOW;
      if (value > worst) worst = value;
    }
    if (!relation.allowsUsersets) return worst;
    for (const relationship of this.#source.usersetsOf(object, relation.name)) {
      const value = this.#throughUserset(relationship, relation, depth);
      if (value === ALLOW) return ALLOW;
      if (value > worst) worst = value;
    }
    return worst;
  }

  #tuple(relation: Relation, object: string, who: string): Value {
    const relationship = this.#source.find(object, relation.name, who);
    return relationship === undefined ? DENY : this.counts(relationship, relation);
  }

  #throughUserset(relationship: Relationship, relation: Relation, depth: number): Value {
    const value = this.counts(relationship, relation);
    if (value !== ALLOW) return value;
    const next = this.#parts.model.find(relationship.userType, relationship.userRelation);
    return next === undefined ? DENY : this.#visit(next, relationship.userObject, depth + 1);
  }

  #from(tupleset: Relation, name: string, object: string, depth: number): Value {
    let worst: Value = DENY;
    for (const relationship of this.#source.of(object, tupleset.name)) {
      const next = this.#parts.model.find(relationship.userType, name);
      if (next === undefined) continue;
      let value = this.counts(relationship, tupleset);
      if (value === ALLOW) value = this.#visit(next, relationship.userObject, depth + 1);
      if (value === ALLOW) return ALLOW;
      if (value > worst) worst = value;
    }
    return worst;
  }

  #tooDeep(relation: Relation, object: string): Value {
    this.#deepHits++;
    return this.#fail(
      new AccessError(
        'check.too_deep',
        `${object}#${relation.name} is more than ${this.#maxDepth} steps away`,
      ),
    );
  }

  #fail(error: AccessError): Value {
    this.#firstError ??= error;
    return ERROR;
  }
}
