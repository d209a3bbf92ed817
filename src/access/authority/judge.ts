import type { Link, Principal, Spec } from '../../kernel/index.js';
import { createToolFilter } from '../../kernel/index.js';
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

/** Answers under one policy, from the tuples as they are when asked. Throws an AccessError where it cannot know. */
export interface Judge {
  readonly engine: Engine;
  objectOf(spec: Spec): string;
  /** To be told when tuples have changed, or a condition has turned: it remembers who has which profile. */
  renew(): void;
  /** Whether a link of a chain lets a definition through. */
  allows(link: Link, spec: Spec, action: Action): boolean;
  /** The same for many definitions: what was found out for one is known for the next. */
  forMany(link: Link): (spec: Spec, action: Action) => boolean;
  isAdmin(principal: Principal): boolean;
  hasProfile(name: string): boolean;
  /** Adds what conditions ask for, when there are any. */
  atNow(options: RequestOptions): RequestOptions;
  /** The profiles that apply to a principal with rights of its own, and what is added for this question. */
  profilesOf(link: Link): { readonly names: readonly string[]; readonly options: RequestOptions };
}

export interface JudgeParts {
  readonly model: CompiledModel;
  readonly conditions: Conditions;
  readonly replica: Replica;
  readonly policy: Policy;
  readonly zone: string;
  readonly now: () => number;
}

type Ask = (spec: Spec, action: Action) => boolean;

/** Principals whose profiles are remembered; far more than call at once. */
const maxKnown = 5000;

export function createJudge({ model, conditions, replica, policy, zone, now }: JudgeParts): Judge {
  const policyTuples = createMemoryTuples(policy.tuples);
  const policyGlobs = [...globsOf(policy)];
  let memberships = createMemberships(policyGlobs);
  let patterns = '';
  const stored: TupleSource = {
    find: (object, relation, user) => replica.tuples.find(object, relation, user),
    of: (object, relation) => replica.tuples.of(object, relation),
    usersetsOf: (object, relation) => replica.tuples.usersetsOf(object, relation),
    byUser: (user) => replica.tuples.byUser(user),
  };
  const below = overlay(policyTuples, stored);
  const source: TupleSource = {
    ...below,
    find: (object, relation, user) =>
      memberships.of(object, relation).find((one) => one.user === user) ?? below.find(object, relation, user),
    of(object, relation) {
      const derived = memberships.of(object, relation);
      const others = below.of(object, relation);
      if (derived.length === 0) return others;
      return others.length === 0 ? derived : [...derived, ...others];
    },
  };
  const engine = createEngine(model, source, conditions);
  const applying = new Map<string, ReturnType<Judge['profilesOf']>>();
  const admins = new Map<string, boolean>();
  renew();

  function renew(): void {
    applying.clear();
    admins.clear();
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

  function profilesOf(link: Link): ReturnType<Judge['profilesOf']> {
    const user = principalObject(link.principal);
    const fallback = policy.profileFor.get(user) ?? link.profile ?? policy.defaultProfile;
    const key = `${user} ${fallback ?? ''}`;
    const known = applying.get(key);
    if (known !== undefined) return known;
    const assigned = engine
      .listObjects({ user, relation: 'assignee', type: 'profile' }, atNow({}))
      .map((object) => object.slice('profile:'.length));
    const found = applied(user, assigned, fallback);
    if (applying.size >= maxKnown) applying.clear();
    applying.set(key, found);
    return found;
  }

  function applied(
    user: string,
    assigned: readonly string[],
    fallback: string | undefined,
  ): ReturnType<Judge['profilesOf']> {
    if (assigned.length > 0 || fallback === undefined || !policy.names.has(fallback))
      return { names: assigned, options: {} };
    const assignment = { user, relation: 'assignee', object: profileObject(fallback) };
    return { names: [fallback], options: { contextualTuples: [assignment] } };
  }

  function isAdmin(principal: Principal): boolean {
    const user = principalObject(principal);
    const known = admins.get(user);
    if (known !== undefined) return known;
    const answer = engine.check({ user, relation: 'admin', object: zoneObject(zone) }, atNow({}));
    if (admins.size >= maxKnown) admins.clear();
    admins.set(user, answer);
    return answer;
  }

  function ownRights(link: Link): Ask {
    if (link.rights === 'all') return () => true;
    const user = principalObject(link.principal);
    if (link.rights === 'inherited') {
      const ask = engine.asker(user, atNow({}));
      return (spec) => !ask('barred', objectOf(spec));
    }
    if (isAdmin(link.principal)) return () => true;
    const ask = engine.asker(user, atNow(profilesOf(link).options));
    return (spec, action) => ask(action, objectOf(spec));
  }

  function ceiling({ profile }: Link): Ask | undefined {
    if (profile === undefined) return undefined;
    if (!policy.names.has(profile)) return () => false;
    const ask = engine.asker(`${profileObject(profile)}#assignee`, atNow({}));
    return (spec, action) => ask(action, objectOf(spec));
  }

  function forMany(link: Link): Ask {
    const own = ownRights(link);
    const above = ceiling(link);
    const filter = link.tools && createToolFilter(link.tools);
    return (spec, action) =>
      (filter === undefined || spec.kind !== 'tool' || filter(spec.name)) &&
      (above === undefined || above(spec, action)) &&
      own(spec, action);
  }

  return {
    engine,
    objectOf,
    renew,
    forMany,
    allows: (link, spec, action) => forMany(link)(spec, action),
    isAdmin,
    hasProfile: (name) => policy.names.has(name),
    atNow,
    profilesOf,
  };
}

function* globsOf(policy: Policy): Iterable<string> {
  for (const { object } of policy.tuples) yield* patternOf(object);
}

/** What the engine could not answer is a denial; anything else is a defect and must be seen. */
export function denies(error: unknown): error is AccessError {
  return error instanceof AccessError;
}
