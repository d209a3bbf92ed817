import { matchesPattern, type Spec, type ToolSpec } from '../../core/index.js';
import { parseTuple, type Relationship } from '../engine/index.js';
import { groupOfGlob, groupOfTier, providerObject, toolObject } from '../object-ids.js';

/** The provider and groups of a definition. Derived from the definition, never stored. */
export interface Memberships {
  /** The tuple object of a definition. Prompts and resources use their provider. */
  objectOf(spec: Spec): string;
  /** A number shared by objects with the same derived tuples. */
  classOf(object: string): number | undefined;
  /** The derived tuples of a known object. */
  of(object: string, relation: string): readonly Relationship[];
}

interface Derived {
  readonly class: number;
  readonly provider: readonly Relationship[];
  readonly group: readonly Relationship[];
}

const maxObjects = 200_000;
const none: readonly Relationship[] = [];

/** For one set of patterns. Results are cached for the lifetime of a definition. */
export function createMemberships(patterns: Iterable<string>): Memberships {
  const exact = new Set<string>();
  const open: { readonly group: string; readonly pattern: string }[] = [];
  for (const pattern of patterns) {
    if (/[*?]/.test(pattern)) open.push({ group: groupOfGlob(pattern), pattern });
    else exact.add(pattern);
  }
  const everything = open.flatMap(({ group, pattern }) => (pattern === '*' ? [group] : []));
  const classes = new Map<string, number>();
  // Never reuse a number, because cached answers may outlive its objects.
  let nextClass = 0;
  const derived = new Map<string, Derived>();
  const users = new Map<string, Relationship>();
  let objects = new WeakMap<Spec, string>();

  function groupsOf(spec: ToolSpec): readonly string[] {
    // A pattern that starts with a wildcard does not count as naming a tool.
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

  /** Bounds memory for a server that keeps renaming its tools. */
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

/** Checks each provider, group and object name only once. */
function memberIn(
  known: Map<string, Relationship>,
  user: string,
  relation: string,
  object: string,
): Relationship {
  let like = known.get(user);
  if (like === undefined) known.set(user, (like = parseTuple({ user, relation, object })));
  // No spread: it is ten times slower, and there are tens of thousands of tuples.
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
