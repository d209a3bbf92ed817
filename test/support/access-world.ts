// Small random worlds of relations and tuples, full of loops, exclusions and tuples that the model does not allow.
import type { Random } from './random.js';

export type Expression =
  | { readonly op: 'direct' }
  | { readonly op: 'computed'; readonly relation: string }
  | { readonly op: 'parent'; readonly relation: string }
  | { readonly op: 'any' | 'all'; readonly of: readonly Expression[] }
  | { readonly op: 'minus'; readonly base: Expression; readonly subtract: Expression };

/** Who may stand in a tuple: `user`, `user:*`, `t0`, `t0#r1`; and with which condition, empty for none. */
export interface Allowed {
  readonly who: string;
  readonly condition: string;
}

export interface WorldRelation {
  readonly type: string;
  readonly name: string;
  readonly expression: Expression;
  readonly allowed: readonly Allowed[];
}

export interface WorldTuple {
  readonly user: string;
  readonly relation: string;
  readonly object: string;
  /** `holds`, `fails`, `breaks` (it cannot be evaluated), or empty. */
  readonly condition: string;
}

export interface World {
  readonly objects: readonly string[];
  readonly relations: readonly WorldRelation[];
  readonly tuples: readonly WorldTuple[];
  /** Who is asked about. */
  readonly subjects: readonly string[];
}

export const worldUsers = ['user:a', 'user:b', 'user:c'];
export const conditionNames = ['holds', 'fails', 'breaks'];
const types = ['t0', 't1'];
const ids = ['1', '2'];
const names = ['r0', 'r1', 'r2', 'r3', 'r4'];

/** At most 24 nodes for each subject, so that no path is deeper than the limit of 25. */
export function createWorld(random: Random): World {
  // Some models have no loops at all: there each relation knows only those before it.
  const isLayered = random.chance(0.3);
  const objects = types.flatMap((type) => ids.map((id) => `${type}:${id}`));
  const relations = types.flatMap((type) => [
    {
      type,
      name: 'parent',
      expression: { op: 'direct' } as const,
      allowed: allow(['t0', 't1'], random, 0.1),
    },
    ...names.map((name, index) =>
      createRelation(type, name, isLayered ? names.slice(0, index) : names, random),
    ),
  ]);
  const tuples = Array.from({ length: 2 + random.below(22) }, () => createTuple(objects, relations, random));
  const unique = new Map(tuples.map((tuple) => [`${tuple.object}#${tuple.relation}@${tuple.user}`, tuple]));
  const userset = `${random.pick(objects)}#${random.pick(names)}`;
  return { objects, relations, tuples: [...unique.values()], subjects: [...worldUsers, 'user:*', userset] };
}

function createRelation(type: string, name: string, known: readonly string[], random: Random): WorldRelation {
  const expression = createExpression(random, known, 0);
  const usersets = types.flatMap((other) => known.map((relation) => `${other}#${relation}`));
  const candidates = ['user', 'user', 'user:*', ...types, ...usersets.filter(() => random.chance(0.35))];
  const who = candidates.filter(() => random.chance(0.6));
  return { type, name, expression, allowed: allow(who.length === 0 ? ['user'] : who, random, 0.12) };
}

function allow(who: readonly string[], random: Random, share: number): readonly Allowed[] {
  return [...new Set(who)].flatMap((one) => {
    const condition = random.chance(share) ? random.pick(conditionNames) : '';
    const isBoth = condition !== '' && random.chance(0.5);
    return [{ who: one, condition }, ...(isBoth ? [{ who: one, condition: '' }] : [])];
  });
}

function createExpression(random: Random, known: readonly string[], depth: number): Expression {
  const roll = random.next();
  if (depth >= 3 || known.length === 0 || roll < 0.35) return { op: 'direct' };
  if (roll < 0.47) return { op: 'computed', relation: random.pick(known) };
  if (roll < 0.58) return { op: 'parent', relation: random.pick(known) };
  if (roll < 0.8) {
    const of = Array.from({ length: 2 + random.below(2) }, () => createExpression(random, known, depth + 1));
    return { op: random.chance(0.5) ? 'any' : 'all', of };
  }
  return {
    op: 'minus',
    base: createExpression(random, known, depth + 1),
    subtract: createExpression(random, known, depth + 1),
  };
}

function createTuple(
  objects: readonly string[],
  relations: readonly WorldRelation[],
  random: Random,
): WorldTuple {
  const relation = random.chance(0.2) ? 'parent' : random.pick(names);
  const object = random.pick(objects);
  const owner = relations.find(({ type, name }) => object.startsWith(`${type}:`) && name === relation);
  // Most tuples are such as the model allows, half of those are about users, and some are not allowed.
  const users = owner?.allowed.filter(({ who }) => who.startsWith('user')) ?? [];
  const choice = users.length > 0 && random.chance(0.5) ? users : (owner?.allowed ?? []);
  const fitting = choice.length > 0 && random.chance(0.85) ? random.pick(choice) : undefined;
  const who =
    fitting?.who ?? random.pick(['user', 'user:*', ...types, `${random.pick(types)}#${random.pick(names)}`]);
  const condition = fitting?.condition ?? (random.chance(0.2) ? random.pick(conditionNames) : '');
  return { user: userOf(who, random), relation, object, condition };
}

function userOf(who: string, random: Random): string {
  if (who.endsWith(':*')) return who;
  const [type = '', relation] = who.split('#');
  const object = type === 'user' ? random.pick(worldUsers) : `${type}:${random.pick(ids)}`;
  return relation === undefined ? object : `${object}#${relation}`;
}
