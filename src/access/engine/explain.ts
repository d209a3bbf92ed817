import type { AccessError } from './access-error.js';
import { ALLOW, CYCLE, DENY, ERROR, type Evaluation } from './evaluate.js';
import type { LinkedModel, Relation, Rule } from './linked-model.js';
import type { Relationship, Tuple, User } from './tuple.js';
import type { TupleSource } from './tuple-source.js';

/** Why a user has a relation: each step with its tuple and the steps below it. */
export interface Proof {
  /** The `object#relation` that this step proves. */
  readonly holds: string;
  readonly by: 'itself' | 'tuple' | 'userset' | 'computed' | 'through' | 'or' | 'and' | 'not';
  readonly tuple?: Tuple;
  readonly steps: readonly Proof[];
}

/** Where a tuple would have helped, and what was found instead. */
export interface Place {
  readonly object: string;
  readonly relation: string;
  /** The allowed users: `user`, `user:*` or `group#member`. */
  readonly accepts: readonly string[];
  readonly found: 'nothing' | 'condition_not_met' | 'condition_error' | 'not_allowed_by_model';
}

export interface Explanation {
  readonly outcome: 'allow' | 'deny' | 'cycle' | 'error';
  /** Why it is allowed. */
  readonly proof?: Proof;
  /** Why an exclusion applied. */
  readonly blockedBy: readonly Proof[];
  /** Where a tuple would have helped, nearest first. */
  readonly missing: readonly Place[];
  readonly error?: AccessError;
}

export interface ExplainParts {
  readonly model: LinkedModel;
  readonly source: TupleSource;
  readonly user: User;
  readonly evaluation: Evaluation;
}

const outcomes = { [DENY]: 'deny', [ALLOW]: 'allow', [CYCLE]: 'cycle', [ERROR]: 'error' } as const;
/** Limit of listed places, to keep explanations readable. */
const maxPlaces = 200;
const maxSteps = 10_000;

export function explain(relation: Relation, object: string, parts: ExplainParts): Explanation {
  const value = parts.evaluation.value(relation, object);
  const error = parts.evaluation.error();
  const proof = value === ALLOW ? prove(relation, object, parts) : undefined;
  return {
    outcome: outcomes[value],
    ...(proof === undefined ? {} : { proof }),
    blockedBy: value === ALLOW ? [] : blocks(relation, object, parts),
    missing: value === ALLOW ? [] : placesBelow(relation, object, parts),
    ...(value === ERROR && error !== undefined ? { error } : {}),
  };
}

/** The proof may not be the shortest, but it is sound: no step depends on itself. */
function prove(
  root: Relation,
  rootObject: string,
  parts: ExplainParts,
  valueOf: Evaluation['value'] = (relation, object) => parts.evaluation.value(relation, object),
): Proof | undefined {
  const { model, source, user, evaluation } = parts;
  const path = new Set<string>();
  let steps = 0;
  return node(root, rootObject);

  function node(relation: Relation, object: string): Proof | undefined {
    const holds = `${object}#${relation.name}`;
    if (holds === user.user) return { holds, by: 'itself', steps: [] };
    if (path.has(holds) || ++steps > maxSteps || valueOf(relation, object) !== ALLOW) return undefined;
    path.add(holds);
    const found = rule(relation.rule, relation, object);
    path.delete(holds);
    return found;
  }

  function rule(one: Rule, relation: Relation, object: string): Proof | undefined {
    const holds = `${object}#${relation.name}`;
    const inner = (child: Rule): Proof | undefined => rule(child, relation, object);
    switch (one.kind) {
      case 'direct':
        return direct(relation, object);
      case 'computed':
        return step(holds, 'computed', [node(one.relation, object)]);
      case 'through':
        return first(source.of(object, one.tupleset.name), (relationship) => {
          const next = model.find(relationship.userType, one.relation);
          if (next === undefined || evaluation.counts(relationship, one.tupleset) !== ALLOW) return undefined;
          return step(holds, 'through', [node(next, relationship.userObject)], relationship);
        });
      case 'or':
        return first(one.of, (child) => step(holds, 'or', [inner(child)]));
      case 'and':
        return step(holds, 'and', one.of.map(inner));
      case 'not':
        // The excluded part is known to be false, because the node as a whole is allowed.
        return isRefused(one.subtract, relation, object, parts)
          ? step(holds, 'not', [inner(one.base)])
          : undefined;
    }
  }

  function direct(relation: Relation, object: string): Proof | undefined {
    const holds = `${object}#${relation.name}`;
    for (const who of [user.user, `${user.userType}:*`]) {
      if (who !== user.user && user.userRelation !== '') continue;
      const relationship = source.find(object, relation.name, who);
      if (relationship !== undefined && evaluation.counts(relationship, relation) === ALLOW)
        return step(holds, 'tuple', [], relationship);
    }
    return first(source.usersetsOf(object, relation.name), (relationship) => {
      const next = model.find(relationship.userType, relationship.userRelation);
      if (next === undefined || evaluation.counts(relationship, relation) !== ALLOW) return undefined;
      return step(holds, 'userset', [node(next, relationship.userObject)], relationship);
    });
  }
}

function step(
  holds: string,
  by: Proof['by'],
  steps: readonly (Proof | undefined)[],
  relationship?: Relationship,
): Proof | undefined {
  const known = steps.filter((one) => one !== undefined);
  if (known.length < steps.length) return undefined;
  return {
    holds,
    by,
    ...(relationship === undefined ? {} : { tuple: plainTuple(relationship) }),
    steps: known,
  };
}

function plainTuple({ user, relation, object, condition }: Relationship): Tuple {
  return condition === undefined ? { user, relation, object } : { user, relation, object, condition };
}

function first<T, R>(values: readonly T[], find: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRefused(rule: Rule, relation: Relation, object: string, parts: ExplainParts): boolean {
  return parts.evaluation.part(rule, relation, object) === DENY;
}

/** The exclusions that applied, with their proofs. */
function blocks(relation: Relation, object: string, parts: ExplainParts): readonly Proof[] {
  const { evaluation } = parts;
  const found: Proof[] = [];
  const seen = new Set<string>();
  const walk = (target: Relation, rule: Rule): void => {
    if (rule.kind === 'computed') visit(rule.relation);
    else if (rule.kind === 'or' || rule.kind === 'and') for (const child of rule.of) walk(target, child);
    else if (rule.kind === 'not') {
      walk(target, rule.base);
      const { base, subtract } = rule;
      const isMet = (part: Rule): boolean => evaluation.part(part, target, object) === ALLOW;
      if (!isMet(base) || !isMet(subtract)) return;
      // Proves the excluded part as if it were a relation.
      const excluded = { ...target, index: -1, rule: subtract };
      const proof = prove(excluded, object, parts, (one, at) =>
        one === excluded ? evaluation.part(subtract, target, at) : evaluation.value(one, at),
      );
      if (proof !== undefined) found.push(proof);
    }
  };
  const visit = (target: Relation): void => {
    if (seen.has(target.name)) return;
    seen.add(target.name);
    walk(target, target.rule);
  };
  visit(relation);
  return found;
}

/** All places where a check of this relation looks for tuples, breadth first, without exclusions. */
function placesBelow(root: Relation, rootObject: string, parts: ExplainParts): readonly Place[] {
  const { model, source } = parts;
  const places: Place[] = [];
  const seen = new Set<string>();
  const queue: { readonly relation: Relation; readonly object: string }[] = [];
  const add = (relation: Relation | undefined, object: string): void => {
    const key = relation === undefined ? '' : `${object}#${relation.name}`;
    if (relation === undefined || seen.has(key)) return;
    seen.add(key);
    queue.push({ relation, object });
  };
  add(root, rootObject);
  for (const { relation, object } of queue) {
    if (places.length >= maxPlaces) break;
    walk(relation, object, relation.rule);
  }
  return places;

  function walk(relation: Relation, object: string, rule: Rule): void {
    if (rule.kind === 'computed') add(rule.relation, object);
    else if (rule.kind === 'through') {
      for (const { userType, userObject } of source.of(object, rule.tupleset.name))
        add(model.find(userType, rule.relation), userObject);
    } else if (rule.kind === 'not') walk(relation, object, rule.base);
    else if (rule.kind !== 'direct') for (const child of rule.of) walk(relation, object, child);
    else {
      places.push(placeOf(relation, object, parts));
      for (const { userType, userObject, userRelation } of source.usersetsOf(object, relation.name))
        add(model.find(userType, userRelation), userObject);
    }
  }
}

function placeOf(relation: Relation, object: string, { source, user, evaluation }: ExplainParts): Place {
  const relationship = source.find(object, relation.name, user.user);
  const accepts = [...relation.allowed.keys()].sort();
  const place = { object, relation: relation.name, accepts };
  if (relationship === undefined) return { ...place, found: 'nothing' };
  const value = evaluation.counts(relationship, relation);
  if (value === ERROR) return { ...place, found: 'condition_error' };
  const isAllowedByModel =
    relation.allowed.get(relationship.reference)?.has(relationship.condition?.name ?? '') === true;
  return { ...place, found: isAllowedByModel ? 'condition_not_met' : 'not_allowed_by_model' };
}
