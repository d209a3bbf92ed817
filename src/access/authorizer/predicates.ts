import {
  createToolFilter,
  type Delegation,
  type Principal,
  type Reach,
  type Spec,
} from '../../core/index.js';
import {
  AccessError,
  type CompiledModel,
  type Conditions,
  createEngine,
  createMemoryTuples,
  type Engine,
  overlay,
  type RequestOptions,
  type TupleSource,
} from '../engine/index.js';
import { principalObject, profileObject, zoneObject } from '../object-ids.js';
import { createMemberships } from './memberships.js';
import type { Policy } from './policy.js';
import { patternOf, type Replica } from './replica.js';

export type Action = 'see' | 'call';
/** Whether a definition is allowed. */
export type Ask = (spec: Spec, action: Action) => boolean;

/** Evaluates rights under one policy and the current tuples. Throws an AccessError if there is no answer. */
export interface Predicates {
  readonly engine: Engine;
  objectOf(spec: Spec): string;
  /** Clears the cache. Call it when tuples have changed or a time condition has changed its value. */
  renew(): void;
  /** The predicate of one link, valid until the next `renew`. */
  predicateFor(delegation: Delegation): Ask;
  isAdmin(principal: Principal): boolean;
  hasProfile(name: string): boolean;
  /** Adds the context values for conditions, if there are any. */
  atNow(options: RequestOptions): RequestOptions;
  /** The profiles of a principal; the default profile if none is assigned. */
  profilesOf(delegation: Delegation): Applying;
}

export interface Applying {
  readonly assigned: readonly string[];
  readonly byDefault?: string;
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

export function createPredicates({
  model,
  conditions,
  replica,
  policy,
  zone,
  now,
}: PredicatesParts): Predicates {
  const policyGlobs = policy.tuples.flatMap(({ object }) => [...patternOf(object)]);
  const policyTuples = createMemoryTuples(policy.tuples);
  const policyObjects = new Set(policy.tuples.map(({ object }) => object));
  let memberships = createMemberships(policyGlobs);
  let patterns = '';
  const engine = createEngine(model, createSource(), conditions);
  const applying = new Map<string, Applying>();
  const admins = new Map<string, boolean>();
  let asks = new WeakMap<Delegation, Ask>();
  renew();

  function createSource(): TupleSource {
    const stored: TupleSource = {
      find: (object, relation, user) => replica.tuples.find(object, relation, user),
      of: (object, relation) => replica.tuples.of(object, relation),
      usersetsOf: (object, relation) => replica.tuples.usersetsOf(object, relation),
      byUser: (user) => replica.tuples.byUser(user),
    };
    const below = overlay(policyTuples, stored);
    return {
      ...below,
      find: (object, relation, user) =>
        memberships.of(object, relation).find((one) => one.user === user) ??
        below.find(object, relation, user),
      of(object, relation) {
        const derived = memberships.of(object, relation);
        const others = below.of(object, relation);
        if (derived.length === 0) return others;
        return others.length === 0 ? derived : [...derived, ...others];
      },
    };
  }

  function renew(): void {
    applying.clear();
    admins.clear();
    asks = new WeakMap();
    const globs = [...new Set([...policyGlobs, ...replica.globs()])].sort();
    const key = globs.join('\n');
    if (key === patterns) return;
    patterns = key;
    memberships = createMemberships(globs);
  }

  function objectOf(spec: Spec): string {
    return memberships.objectOf(spec);
  }

  function atNow(options: RequestOptions): RequestOptions {
    return replica.conditional > 0
      ? { ...options, context: { now: new Date(now()).toISOString() } }
      : options;
  }

  function profilesOf(delegation: Delegation): Applying {
    const user = principalObject(delegation.principal);
    const fallback = policy.profileFor.get(user) ?? delegation.profile ?? policy.defaultProfile;
    const find = (): Applying => {
      const assigned = engine
        .listObjects({ user, relation: 'assignee', type: 'profile' }, atNow({}))
        .map((object) => object.slice('profile:'.length));
      const isBare = assigned.length === 0 && fallback !== undefined && policy.names.has(fallback);
      return { assigned, ...(isBare && { byDefault: fallback }) };
    };
    return remembered(applying, `${user} ${fallback ?? ''}`, find);
  }

  function isAdmin(principal: Principal): boolean {
    const user = principalObject(principal);
    const object = zoneObject(zone);
    return remembered(admins, user, () => engine.check({ user, relation: 'admin', object }, atNow({})));
  }

  function ownRights(delegation: Delegation): Ask {
    if (delegation.rights === 'all') return () => true;
    const user = principalObject(delegation.principal);
    if (delegation.rights === 'inherited') {
      const isBarred = alike(user, 'barred');
      return (spec) => !isBarred(spec);
    }
    if (isAdmin(delegation.principal)) return () => true;
    const { byDefault } = profilesOf(delegation);
    return byDefault === undefined ? rightsOf(user) : rightsWith(user, profileUser(byDefault));
  }

  function rightsOf(user: string): Ask {
    const asked = { see: alike(user, 'see'), call: alike(user, 'call') };
    return (spec, action) => asked[action](spec);
  }

  /** Evaluates as if the profile were assigned: both the principal's own tuples and the profile can grant or block. */
  function rightsWith(user: string, profile: string): Ask {
    const own = rightsOf(user);
    const given = rightsOf(profile);
    const isBarred = alike(user, 'barred');
    const isBarredThere = alike(profile, 'barred');
    return (spec, action) =>
      given(spec, action) ? !isBarred(spec) : own(spec, action) && !isBarredThere(spec);
  }

  /**
   * One relation of one user to many definitions. Definitions share a cached answer if nothing that matters to this user
   * differs: same derived tuples, no shared tuples of their own, and no tuple that names the user.
   */
  function alike(user: string, relation: string): (spec: Spec) => boolean {
    const ask = engine.predicate(user, atNow({}));
    const answers = new Map<number | string, boolean>();
    const own = new Set(
      [...replica.tuples.byUser(user), ...policyTuples.byUser(user)].map(({ object }) => object),
    );
    const isSpecial = (object: string): boolean =>
      own.has(object) || policyObjects.has(object) || replica.isShared(object);
    // Cache individual answers too, or timing would reveal that a tool has its own grants.
    return (spec) => {
      const object = objectOf(spec);
      const kind = isSpecial(object) ? object : (memberships.classOf(object) ?? object);
      return remembered(answers, kind, () => ask(relation, object));
    };
  }

  function ceiling({ profile }: Delegation): Ask | undefined {
    if (profile === undefined) return undefined;
    return policy.names.has(profile) ? rightsOf(profileUser(profile)) : () => false;
  }

  /** Only a block takes away a tool with reach `open`. */
  function openTo(delegation: Delegation, hasAll: boolean): (spec: Spec) => boolean {
    const { byDefault } = delegation.rights === 'own' ? profilesOf(delegation) : {};
    const profiles = [delegation.profile, hasAll ? undefined : byDefault].filter(
      (name) => name !== undefined,
    );
    const users = [...(hasAll ? [] : [principalObject(delegation.principal)]), ...profiles.map(profileUser)];
    const barred = users.map((user) => alike(user, 'barred'));
    const isThere = delegation.profile === undefined || policy.names.has(delegation.profile);
    return (spec) => isThere && !barred.some((isBarred) => isBarred(spec));
  }

  /** Full rights do not include tools with reach `named`. */
  function ownRightsTo(delegation: Delegation): Ask {
    const own = ownRights(delegation);
    const isAdmins = delegation.rights === 'own' && isAdmin(delegation.principal);
    const isOpen = openTo(delegation, isAdmins || delegation.rights === 'all');
    const named = isAdmins ? rightsOf(principalObject(delegation.principal)) : own;
    return (spec, action) => {
      const reach = reachOf(spec);
      if (reach === 'open') return isOpen(spec);
      if (reach !== 'named') return own(spec, action);
      return delegation.rights === 'all' ? delegation.profile !== undefined : named(spec, action);
    };
  }

  function makePredicate(delegation: Delegation): Ask {
    const own = ownRightsTo(delegation);
    const above = ceiling(delegation);
    const filter = delegation.tools && createToolFilter(delegation.tools);
    return (spec, action) =>
      (filter === undefined || spec.kind !== 'tool' || filter(spec.name)) &&
      (above === undefined || reachOf(spec) === 'open' || above(spec, action)) &&
      own(spec, action);
  }

  return {
    engine,
    objectOf,
    renew,
    predicateFor(delegation) {
      // An unpredictable condition may change between two checks, so do not cache.
      if (replica.nextTurn(now()) === undefined) return makePredicate(delegation);
      let ask = asks.get(delegation);
      if (ask === undefined) asks.set(delegation, (ask = makePredicate(delegation)));
      return ask;
    },
    isAdmin,
    hasProfile: (name) => policy.names.has(name),
    atNow,
    profilesOf,
  };
}

function reachOf(spec: Spec): Reach | undefined {
  return spec.kind === 'tool' ? spec.reach : undefined;
}

function profileUser(name: string): string {
  return `${profileObject(name)}#assignee`;
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
