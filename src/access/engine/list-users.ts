import { AccessError } from './access-error.js';
import { ALLOW, DENY, ERROR, type Evaluation } from './evaluate.js';
import type { LinkedModel, Relation, Rule } from './linked-model.js';
import type { Relationship } from './tuple.js';
import type { TupleSource } from './tuple-source.js';
import {
  exclusionOf,
  intersectionOf,
  isSameSet,
  noUsers,
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
  const { everybody, named } = new UserFinder(filter, parts).find(relation, object);
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
class UserFinder {
  readonly #filter: UserFilter;
  readonly #parts: ListUsersParts;
  readonly #nodes = new Map<Relation, Map<string, Node>>();
  #pass = 0;
  /** Nodes that the current pass met again, and nodes whose set it changed. */
  #metAgain = 0;
  #learned = 0;

  constructor(filter: UserFilter, parts: ListUsersParts) {
    this.#filter = filter;
    this.#parts = parts;
  }

  find(relation: Relation, object: string): UserSet {
    for (;;) {
      this.#pass++;
      this.#metAgain = this.#learned = 0;
      const set = this.#visit(relation, object, 0);
      if (this.#metAgain === 0 || this.#learned === 0) return set;
      if (this.#pass > maxPasses)
        throw new AccessError('check.too_complex', 'listing users takes too many passes');
    }
  }

  #visit(target: Relation, at: string, depth: number): UserSet {
    if (!canHold(target, this.#filter)) return noUsers;
    if (depth >= this.#parts.maxDepth)
      throw new AccessError(
        'check.too_deep',
        `${at}#${target.name} is more than ${this.#parts.maxDepth} steps away`,
      );
    let objects = this.#nodes.get(target);
    if (objects === undefined) this.#nodes.set(target, (objects = new Map<string, Node>()));
    const before = objects.get(at);
    if (before?.pass === this.#pass) {
      this.#metAgain++;
      return before.set;
    }
    const node: Node = { pass: this.#pass, set: before?.set ?? unknownUsers };
    objects.set(at, node);
    const set = this.#withSelf(target, at, this.#apply(target.rule, target, at, depth));
    if (!isSameSet(set, node.set)) this.#learned++;
    node.set = set;
    return set;
  }

  #withSelf(target: Relation, at: string, set: UserSet): UserSet {
    if (target.type !== this.#filter.type || target.name !== this.#filter.relation) return set;
    return { everybody: set.everybody, named: new Map([...set.named, [`${at}#${target.name}`, ALLOW]]) };
  }

  #apply(rule: Rule, target: Relation, at: string, depth: number): UserSet {
    switch (rule.kind) {
      case 'direct':
        return unionOf(this.#counting(target, at, target).map((one) => this.#ofTuple(one, depth)));
      case 'computed':
        return this.#visit(rule.relation, at, depth + 1);
      case 'through':
        return unionOf(
          this.#counting(rule.tupleset, at, rule.tupleset).map(({ userType, userObject }) => {
            const next = this.#parts.model.find(userType, rule.relation);
            return next === undefined ? noUsers : this.#visit(next, userObject, depth + 1);
          }),
        );
      case 'or':
        return unionOf(rule.of.map((child) => this.#apply(child, target, at, depth)));
      case 'and':
        return intersectionOf(rule.of.map((child) => this.#apply(child, target, at, depth)));
      case 'not':
        return exclusionOf(
          this.#apply(rule.base, target, at, depth),
          this.#apply(rule.subtract, target, at, depth),
        );
    }
  }

  /** The tuples that count. An undecidable tuple ends the listing, because a list must not silently miss a user. */
  #counting(target: Relation, at: string, owner: Relation): readonly Relationship[] {
    return this.#parts.source.of(at, target.name).filter((relationship) => {
      const value = this.#parts.evaluation.counts(relationship, owner);
      if (value === ERROR)
        throw this.#parts.evaluation.error() ?? new AccessError('condition.failed', 'a condition failed');
      return value === ALLOW;
    });
  }

  #ofTuple({ user, userObject, userType, userRelation, isWildcard }: Relationship, depth: number): UserSet {
    if (userRelation !== '') {
      const next = this.#parts.model.find(userType, userRelation);
      return next === undefined ? noUsers : this.#visit(next, userObject, depth + 1);
    }
    if (this.#filter.relation !== '' || this.#filter.type !== userType) return noUsers;
    if (isWildcard) return { everybody: ALLOW, named: new Map() };
    return { everybody: DENY, named: new Map([[user, ALLOW]]) };
  }
}
