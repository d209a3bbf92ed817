import type { Delegation, Principal, Spec } from '../../core/index.js';
import {
  AccessError,
  type CompiledModel,
  type Conditions,
  createEngine,
  createMemoryTuples,
  type Engine,
  type MemoryTuples,
  overlay,
  type RequestOptions,
  type TupleSource,
} from '../engine/index.js';
import { principalObject, zoneObject } from '../object-ids.js';
import { type AppliedProfiles, createLinkPredicate, type Predicate, type Rights } from './link-predicate.js';
import { createMemberships, type Memberships } from './memberships.js';
import type { Policy } from './policy.js';
import { patternOf, type Replica } from './replica.js';

/** Evaluates rights under one policy and the current tuples. Throws an AccessError if there is no answer. */
export interface Predicates extends Rights {
  readonly engine: Engine;
  objectOf(spec: Spec): string;
  /** Clears the cache. Call it when tuples have changed or a time condition has changed its value. */
  renew(): void;
  /** The predicate of one link, valid until the next `renew`. */
  predicateFor(delegation: Delegation): Predicate;
  /** Adds the context values for conditions, if there are any. */
  atNow(options: RequestOptions): RequestOptions;
}

export interface PredicatesParts {
  readonly model: CompiledModel;
  readonly conditions: Conditions;
  readonly replica: Replica;
  readonly policy: Policy;
  readonly zone: string;
  readonly now: () => number;
}

/** Cache limit in principals; far more than are active at once. */
const maxKnown = 5000;

export function createPredicates(parts: PredicatesParts): Predicates {
  return new CachedPredicates(parts);
}

class CachedPredicates implements Predicates {
  readonly engine: Engine;
  readonly #parts: PredicatesParts;
  readonly #policyGlobs: readonly string[];
  readonly #policyTuples: MemoryTuples;
  readonly #policyObjects: ReadonlySet<string>;
  readonly #profiles = new Map<string, AppliedProfiles>();
  readonly #admins = new Map<string, boolean>();
  #predicates = new WeakMap<Delegation, Predicate>();
  #memberships: Memberships;
  /** The patterns that the memberships were made for. */
  #patterns = '';

  constructor(parts: PredicatesParts) {
    const { policy, model, conditions } = parts;
    this.#parts = parts;
    this.#policyGlobs = policy.tuples.flatMap(({ object }) => [...patternOf(object)]);
    this.#policyTuples = createMemoryTuples(policy.tuples);
    this.#policyObjects = new Set(policy.tuples.map(({ object }) => object));
    this.#memberships = createMemberships(this.#policyGlobs);
    this.engine = createEngine(model, this.#createSource(), conditions);
    this.renew();
  }

  renew(): void {
    this.#profiles.clear();
    this.#admins.clear();
    this.#predicates = new WeakMap();
    const globs = [...new Set([...this.#policyGlobs, ...this.#parts.replica.globs()])].sort();
    const key = globs.join('\n');
    if (key === this.#patterns) return;
    this.#patterns = key;
    this.#memberships = createMemberships(globs);
  }

  predicateFor(delegation: Delegation): Predicate {
    const { replica, now } = this.#parts;
    // An unpredictable condition may change between two checks, so do not cache.
    if (replica.nextTurn(now()) === undefined) return createLinkPredicate(delegation, this);
    let predicate = this.#predicates.get(delegation);
    if (predicate === undefined)
      this.#predicates.set(delegation, (predicate = createLinkPredicate(delegation, this)));
    return predicate;
  }

  objectOf(spec: Spec): string {
    return this.#memberships.objectOf(spec);
  }

  atNow(options: RequestOptions): RequestOptions {
    const { replica, now } = this.#parts;
    if (replica.conditional === 0) return options;
    return { ...options, context: { now: new Date(now()).toISOString() } };
  }

  hasProfile(name: string): boolean {
    return this.#parts.policy.names.has(name);
  }

  profilesOf(delegation: Delegation): AppliedProfiles {
    const { policy } = this.#parts;
    const user = principalObject(delegation.principal);
    const fallback = policy.profileFor.get(user) ?? delegation.profile ?? policy.defaultProfile;
    return remembered(this.#profiles, `${user} ${fallback ?? ''}`, () => {
      const assigned = this.engine
        .listObjects({ user, relation: 'assignee', type: 'profile' }, this.atNow({}))
        .map((object) => object.slice('profile:'.length));
      const usesDefault = assigned.length === 0 && fallback !== undefined && policy.names.has(fallback);
      return { assigned, ...(usesDefault && { byDefault: fallback }) };
    });
  }

  isAdmin(principal: Principal): boolean {
    const user = principalObject(principal);
    const object = zoneObject(this.#parts.zone);
    return remembered(this.#admins, user, () =>
      this.engine.check({ user, relation: 'admin', object }, this.atNow({})),
    );
  }

  /**
   * Definitions share a cached answer if nothing that matters to this user differs: same derived tuples, no shared tuples
   * of their own, and no tuple that names the user.
   */
  relationOf(user: string, relation: string): (spec: Spec) => boolean {
    const { replica } = this.#parts;
    const check = this.engine.predicate(user, this.atNow({}));
    const answers = new Map<number | string, boolean>();
    const own = new Set(
      [...replica.tuples.byUser(user), ...this.#policyTuples.byUser(user)].map(({ object }) => object),
    );
    const isSpecial = (object: string): boolean =>
      own.has(object) || this.#policyObjects.has(object) || replica.isShared(object);
    // Cache individual answers too, or timing would reveal that a tool has its own grants.
    return (spec) => {
      const object = this.objectOf(spec);
      const key = isSpecial(object) ? object : (this.#memberships.classOf(object) ?? object);
      return remembered(answers, key, () => check(relation, object));
    };
  }

  /** Derived memberships, then the policy, then the store. Looks all three up on each call, because they change. */
  #createSource(): TupleSource {
    const { replica } = this.#parts;
    const stored: TupleSource = {
      find: (object, relation, user) => replica.tuples.find(object, relation, user),
      of: (object, relation) => replica.tuples.of(object, relation),
      usersetsOf: (object, relation) => replica.tuples.usersetsOf(object, relation),
      byUser: (user) => replica.tuples.byUser(user),
    };
    const below = overlay(this.#policyTuples, stored);
    return {
      ...below,
      find: (object, relation, user) =>
        this.#memberships.of(object, relation).find((one) => one.user === user) ??
        below.find(object, relation, user),
      of: (object, relation) => {
        const derived = this.#memberships.of(object, relation);
        const others = below.of(object, relation);
        if (derived.length === 0) return others;
        return others.length === 0 ? derived : [...derived, ...others];
      },
    };
  }
}

function remembered<K, T>(known: Map<K, T>, key: K, find: () => T): T {
  const before = known.get(key);
  if (before !== undefined) return before;
  const found = find();
  if (known.size >= maxKnown) known.clear();
  known.set(key, found);
  return found;
}

/** An engine error is a denial; any other error is a bug and must surface. */
export function denies(error: unknown): error is AccessError {
  return error instanceof AccessError;
}

/** Relations whose tuples lead to other objects. */
export function tuplesetsOf(model: CompiledModel): ReadonlySet<string> {
  type Rule = CompiledModel['types'][number]['relations'][number]['rewrite'];
  const found = new Set<string>();
  const walk = (type: string, rule: Rule): void => {
    if (rule.kind === 'through') found.add(`${type}#${rule.tupleset}`);
    else if (rule.kind === 'not') [rule.base, rule.subtract].forEach((part) => walk(type, part));
    else if (rule.kind === 'or' || rule.kind === 'and') rule.of.forEach((part) => walk(type, part));
  };
  for (const { name, relations } of model.types) for (const { rewrite } of relations) walk(name, rewrite);
  return found;
}
