import { matchesPattern, type Spec, type ToolSpec } from '../../kernel/index.js';
import { parseTuple, type Relationship } from '../engine/index.js';
import { groupOfGlob, groupOfTier, providerObject, toolObject } from '../object-ids.js';

/** Which provider and groups a definition belongs to: derived from what it is, never stored. */
export interface Memberships {
  /** The object that stands for a definition. Prompts and resources go with their provider. */
  objectOf(spec: Spec): string;
  /** The derived tuples of an object that was asked for before. */
  of(object: string, relation: string): readonly Relationship[];
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
  let objects = new WeakMap<Spec, string>();
  /** By object and relation. */
  const derived = new Map<string, { readonly provider: Relationship[]; readonly group: Relationship[] }>();

  function groupsOf(spec: ToolSpec): readonly string[] {
    const groups = open.flatMap(({ group, pattern }) => (matchesPattern(pattern, spec.name) ? [group] : []));
    if (exact.has(spec.name)) groups.push(groupOfGlob(spec.name));
    if (spec.tier !== undefined) groups.push(groupOfTier(spec.tier));
    return groups;
  }

  function learn(spec: Spec): string {
    // A server that renames its tools for ever must not fill our memory.
    if (derived.size > maxObjects) {
      derived.clear();
      objects = new WeakMap();
    }
    const provider = providerObject(spec.source);
    const object = spec.kind === 'tool' ? toolObject(spec) : provider;
    objects.set(spec, object);
    const everything = open.filter(({ group }) => group === groupOfGlob('*')).map(({ group }) => group);
    derived.set(provider, {
      provider: [],
      group: everything.map((group) => member(group, 'group', provider)),
    });
    if (spec.kind === 'tool') {
      derived.set(object, {
        provider: [member(provider, 'provider', object)],
        group: groupsOf(spec).map((group) => member(group, 'group', object)),
      });
    }
    return object;
  }

  function derivedOf(object: string, relation: string): readonly Relationship[] {
    if (relation !== 'provider' && relation !== 'group') return none;
    return derived.get(object)?.[relation] ?? none;
  }

  return {
    objectOf: (spec) => objects.get(spec) ?? learn(spec),
    of: derivedOf,
  };
}

function member(user: string, relation: string, object: string): Relationship {
  return parseTuple({ user, relation, object });
}
