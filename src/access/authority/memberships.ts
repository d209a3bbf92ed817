import { matchesPattern, type Spec, type ToolSpec } from '../../kernel/index.js';
import { parseTuple, type Relationship } from '../engine/index.js';
import { groupOfGlob, groupOfTier, providerObject, toolObject } from '../object-ids.js';

/** Which provider and groups a definition belongs to: derived from what it is, never stored. */
export interface Memberships {
  /** The object that stands for a definition. Prompts and resources go with their provider. */
  objectOf(spec: Spec): string;
  /** A number that objects with the same derived tuples have in common. */
  classOf(object: string): number | undefined;
  /** The derived tuples of an object that was asked for before. */
  of(object: string, relation: string): readonly Relationship[];
}

interface Derived {
  readonly class: number;
  readonly provider: readonly Relationship[];
  readonly group: readonly Relationship[];
}

const maxObjects = 200_000;
const none: readonly Relationship[] = [];

/** For one set of patterns. What it has found out about a definition it knows as long as the definition lives. */
export function createMemberships(patterns: Iterable<string>): Memberships {
  const exact = new Set<string>();
  const open: { readonly group: string; readonly pattern: string }[] = [];
  for (const pattern of patterns) {
    if (/[*?]/.test(pattern)) open.push({ group: groupOfGlob(pattern), pattern });
    else exact.add(pattern);
  }
  const everything = open.flatMap(({ group, pattern }) => (pattern === '*' ? [group] : []));
  const classes = new Map<string, number>();
  // Never used twice: answers that were remembered under a number may outlive what it stood for.
  let nextClass = 0;
  const derived = new Map<string, Derived>();
  const users = new Map<string, Relationship>();
  let objects = new WeakMap<Spec, string>();

  function groupsOf(spec: ToolSpec): readonly string[] {
    // A pattern that begins with a wildcard names nothing.
    const names = spec.reach === 'named' ? open.filter(({ pattern }) => /^[^*?]/.test(pattern)) : open;
    const groups = names.flatMap(({ group, pattern }) => (matchesPattern(pattern, spec.name) ? [group] : []));
    if (exact.has(spec.name)) groups.push(groupOfGlob(spec.name));
    if (spec.tier !== undefined && spec.reach !== 'named') groups.push(groupOfTier(spec.tier));
    return groups;
  }

  function learn(spec: Spec): string {
    if (derived.size > maxObjects) forget();
    const provider = providerObject(spec.source);
    const object = spec.kind === 'tool' ? toolObject(spec) : provider;
    if (!derived.has(provider)) derived.set(provider, derive(provider, [], everything));
    const providers = spec.kind === 'tool' && spec.reach === 'named' ? [] : [provider];
    if (spec.kind === 'tool') derived.set(object, derive(object, providers, groupsOf(spec)));
    objects.set(spec, object);
    return object;
  }

  /** A server that renames its tools for ever must not fill our memory. */
  function forget(): void {
    derived.clear();
    classes.clear();
    users.clear();
    objects = new WeakMap();
  }

  function derive(object: string, providers: readonly string[], groups: readonly string[]): Derived {
    const key = [...providers, '', ...groups].join(' ');
    let known = classes.get(key);
    if (known === undefined) classes.set(key, (known = nextClass++));
    return {
      class: known,
      provider: providers.map((provider) => memberIn(users, provider, 'provider', object)),
      group: groups.map((group) => memberIn(users, group, 'group', object)),
    };
  }

  return {
    objectOf: (spec) => objects.get(spec) ?? learn(spec),
    classOf: (object) => derived.get(object)?.class,
    of(object, relation) {
      if (relation !== 'provider' && relation !== 'group') return none;
      return derived.get(object)?.[relation] ?? none;
    },
  };
}

/** Whether it is well formed is asked once for each provider or group, and once for each object. */
function memberIn(
  known: Map<string, Relationship>,
  user: string,
  relation: string,
  object: string,
): Relationship {
  let like = known.get(user);
  if (like === undefined) known.set(user, (like = parseTuple({ user, relation, object })));
  // Written out: spreading costs ten times as much, and there are tens of thousands of them.
  return {
    user: like.user,
    userObject: like.userObject,
    userType: like.userType,
    userRelation: like.userRelation,
    isWildcard: like.isWildcard,
    reference: like.reference,
    relation,
    object,
    objectType: object.slice(0, object.indexOf(':')),
    condition: undefined,
  };
}
