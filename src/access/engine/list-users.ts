import { AccessError } from './access-error.js';
import { ALLOW, DENY, ERROR, type Evaluation } from './evaluate.js';
import type { LinkedModel, Relation, Rule } from './linked-model.js';
import type { Relationship } from './tuple.js';
import type { TupleSource } from './tuple-source.js';
import {
  exclusionOf,
  intersectionOf,
  isSameSet,
  nobody,
  unionOf,
  unknownUsers,
  type UserSet,
} from './user-set.js';

/** The requested users: all of a type, or all usersets of a type and relation. */
export interface UserFilter {
  readonly type: string;
  /** Empty for plain users. */
  readonly relation: string;
}

export interface ListUsersParts {
  readonly model: LinkedModel;
  readonly source: TupleSource;
  /** Decides which tuples count; its user is irrelevant. */
  readonly evaluation: Evaluation;
  readonly maxDepth: number;
}

interface Node {
  pass: number;
  set: UserSet;
}

const maxPasses = 200;

/** The users of a kind that have the relation, sorted; `type:*` means everybody. Throws on any error. */
export function listUsers(
  relation: Relation,
  object: string,
  filter: UserFilter,
  parts: ListUsersParts,
): readonly string[] {
  const { everybody, named } = usersOf(relation, object, filter, parts);
  const found = [...named].filter(([, value]) => value === ALLOW).map(([user]) => user);
  if (everybody === ALLOW) found.push(`${filter.type}:*`);
  return found.sort();
}

/** Whether the relation can lead to users of this kind. */
function canHold({ reaches }: Relation, { type, relation }: UserFilter): boolean {
  return relation === '' ? reaches.has(type) || reaches.has(`${type}:*`) : reaches.has(`${type}#${relation}`);
}

/**
 * For a node that it meets again, each pass uses the result of the previous pass. Passes repeat until one learns nothing
 * new.
 */
function usersOf(relation: Relation, object: string, filter: UserFilter, parts: ListUsersParts): UserSet {
  const { model, source, evaluation, maxDepth } = parts;
  const nodes = new Map<Relation, Map<string, Node>>();
  // Nodes seen in the current pass.
  const seen = { metAgain: 0, learned: 0 };
  let pass = 0;
  for (;;) {
    pass++;
    seen.metAgain = seen.learned = 0;
    const set = visit(relation, object, 0);
    if (seen.metAgain === 0 || seen.learned === 0) return set;
    if (pass > maxPasses) throw new AccessError('check.too_complex', 'listing users takes too many passes');
  }

  function visit(target: Relation, at: string, depth: number): UserSet {
    if (!canHold(target, filter)) return nobody;
    if (depth >= maxDepth)
      throw new AccessError('check.too_deep', `${at}#${target.name} is more than ${maxDepth} steps away`);
    let objects = nodes.get(target);
    if (objects === undefined) nodes.set(target, (objects = new Map<string, Node>()));
    const before = objects.get(at);
    if (before?.pass === pass) {
      seen.metAgain++;
      return before.set;
    }
    const node: Node = { pass, set: before?.set ?? unknownUsers };
    objects.set(at, node);
    const set = withSelf(target, at, apply(target.rule, target, at, depth));
    if (!isSameSet(set, node.set)) seen.learned++;
    node.set = set;
    return set;
  }

  function withSelf(target: Relation, at: string, set: UserSet): UserSet {
    if (target.type !== filter.type || target.name !== filter.relation) return set;
    return { everybody: set.everybody, named: new Map([...set.named, [`${at}#${target.name}`, ALLOW]]) };
  }

  function apply(rule: Rule, target: Relation, at: string, depth: number): UserSet {
    switch (rule.kind) {
      case 'direct':
        return unionOf(counting(target, at, target).map((one) => ofTuple(one, depth)));
      case 'computed':
        return visit(rule.relation, at, depth + 1);
      case 'through':
        return unionOf(
          counting(rule.tupleset, at, rule.tupleset).map(({ userType, userObject }) => {
            const next = model.find(userType, rule.relation);
            return next === undefined ? nobody : visit(next, userObject, depth + 1);
          }),
        );
      case 'or':
        return unionOf(rule.of.map((child) => apply(child, target, at, depth)));
      case 'and':
        return intersectionOf(rule.of.map((child) => apply(child, target, at, depth)));
      case 'not':
        return exclusionOf(apply(rule.base, target, at, depth), apply(rule.subtract, target, at, depth));
    }
  }

  /** The tuples that count. An undecidable tuple ends the listing, because a list must not silently miss a user. */
  function counting(target: Relation, at: string, owner: Relation): readonly Relationship[] {
    return source.of(at, target.name).filter((relationship) => {
      const value = evaluation.counts(relationship, owner);
      if (value === ERROR)
        throw evaluation.error() ?? new AccessError('condition.failed', 'a condition failed');
      return value === ALLOW;
    });
  }

  function ofTuple(
    { user, userObject, userType, userRelation, isWildcard }: Relationship,
    depth: number,
  ): UserSet {
    if (userRelation !== '') {
      const next = model.find(userType, userRelation);
      return next === undefined ? nobody : visit(next, userObject, depth + 1);
    }
    if (filter.relation !== '' || filter.type !== userType) return nobody;
    if (isWildcard) return { everybody: ALLOW, named: new Map() };
    return { everybody: DENY, named: new Map([[user, ALLOW]]) };
  }
}
