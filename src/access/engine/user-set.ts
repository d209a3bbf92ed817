// Sets of users that may include everybody: one value for all unnamed users, and one for each named user. The values are
// those of the evaluator, including "unknown" (a loop).
import { ALLOW, CYCLE, DENY, type Value } from './evaluate.js';

export interface UserSet {
  readonly everybody: Value;
  readonly named: ReadonlyMap<string, Value>;
}

export const noUsers: UserSet = { everybody: DENY, named: new Map() };
export const unknownUsers: UserSet = { everybody: CYCLE, named: new Map() };

export function unionOf(sets: readonly UserSet[]): UserSet {
  return combine(sets, or, (values) => values.includes(ALLOW));
}

export function intersectionOf(sets: readonly UserSet[]): UserSet {
  return combine(sets, and, (values) => values.includes(ALLOW));
}

export function exclusionOf(base: UserSet, subtract: UserSet): UserSet {
  const value = ([kept = DENY, dropped = DENY]: readonly Value[]): Value => and([kept, not(dropped)]);
  return combine([base, subtract], value, ([kept, dropped]) => kept === ALLOW || dropped === DENY);
}

export function isSameSet(one: UserSet, other: UserSet): boolean {
  if (one.everybody !== other.everybody || one.named.size !== other.named.size) return false;
  return [...one.named].every(([user, value]) => other.named.get(user) === value);
}

/**
 * Applies an operation to each named user and to everybody else. A name is kept if it is allowed by name, or if its value
 * differs from everybody's.
 */
function combine(
  sets: readonly UserSet[],
  operation: (values: readonly Value[]) => Value,
  speaksFor: (named: readonly (Value | undefined)[]) => boolean,
): UserSet {
  const everybody = operation(sets.map((set) => set.everybody));
  const named = new Map<string, Value>();
  for (const user of new Set(sets.flatMap((set) => [...set.named.keys()]))) {
    const value = operation(sets.map((set) => set.named.get(user) ?? set.everybody));
    const isAllowedByName = value === ALLOW && speaksFor(sets.map((set) => set.named.get(user)));
    if (value !== everybody || isAllowedByName) named.set(user, value);
  }
  return { everybody, named };
}

function or(values: readonly Value[]): Value {
  if (values.includes(ALLOW)) return ALLOW;
  return values.includes(CYCLE) ? CYCLE : DENY;
}

function and(values: readonly Value[]): Value {
  if (values.includes(DENY)) return DENY;
  return values.includes(CYCLE) ? CYCLE : ALLOW;
}

function not(value: Value): Value {
  if (value === CYCLE) return CYCLE;
  return value === ALLOW ? DENY : ALLOW;
}
