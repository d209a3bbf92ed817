import { describeObject } from '../object-ids.js';
import type { GrantKey } from '../ports/index.js';

const memberSuffix = '#member';

/**
 * The cycle of roles that these tuples would create; undefined if none. Cycles are refused, because a cycle under a block
 * would deny everyone.
 */
export function loopWith(
  stored: () => readonly GrantKey[],
  add: readonly GrantKey[],
): readonly string[] | undefined {
  const added = add.filter(isNesting);
  if (added.length === 0) return undefined;
  const inside = containersOf([...stored().filter(isNesting), ...added]);
  for (const { user, object } of added) {
    const way = wayTo(object, roleIn(user), inside);
    if (way !== undefined) return [roleIn(user), ...way].map(describeObject);
  }
  return undefined;
}

function isNesting({ user, relation, object }: GrantKey): boolean {
  return (
    relation === 'member' &&
    object.startsWith('role:') &&
    user.startsWith('role:') &&
    user.endsWith(memberSuffix)
  );
}

function roleIn(user: string): string {
  return user.slice(0, -memberSuffix.length);
}

/** The roles that each role is a member of. */
function containersOf(nestings: readonly GrantKey[]): ReadonlyMap<string, readonly string[]> {
  const containers = new Map<string, string[]>();
  for (const { user, object } of nestings) {
    const known = containers.get(roleIn(user));
    if (known === undefined) containers.set(roleIn(user), [object]);
    else known.push(object);
  }
  return containers;
}

/** Breadth first, so that the shortest cycle is reported. */
function wayTo(
  from: string,
  to: string,
  containers: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  for (const role of cameFrom.keys()) {
    if (role === to) return backFrom(to, cameFrom);
    for (const next of containers.get(role) ?? []) if (!cameFrom.has(next)) cameFrom.set(next, role);
  }
  return undefined;
}

function backFrom(to: string, cameFrom: ReadonlyMap<string, string | undefined>): readonly string[] {
  const way = [to];
  for (let at = cameFrom.get(to); at !== undefined; at = cameFrom.get(at)) way.unshift(at);
  return way;
}
