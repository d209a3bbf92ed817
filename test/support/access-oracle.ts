// What a world means, found by brute force: every node of the whole world gets a value, again and again, until nothing
// changes. It is slow and shares nothing with the engine.
import type { Expression, World, WorldRelation, WorldTuple } from './access-world.js';

/** `unknown`: the node depends on itself, or on a condition that cannot be evaluated. */
export type Truth = 'yes' | 'no' | 'unknown';

export interface Meaning {
  /** What holds when a loop is never more than unknown: what the engine promises. */
  truth(object: string, relation: string): Truth;
  /** What holds in the well-founded model, where a loop that nothing feeds is false: nothing beyond it may be allowed. */
  isWellFounded(object: string, relation: string): boolean;
}

export function meaningOf(world: World, subject: string): Meaning {
  const possible = possibleFor(world, subject);
  const truths = new Map<string, Truth>();
  const atoms = world.objects.flatMap((object) =>
    world.relations.filter(({ type }) => isOf(object, type)).map((relation) => ({ object, relation })),
  );
  const read = (object: string, relation: string): Truth => {
    if (`${object}#${relation}` === subject) return 'yes';
    const owner = relationOf(world, object, relation);
    if (owner === undefined || !possible.has(`${owner.type}#${owner.name}`)) return 'no';
    return truths.get(`${object}#${relation}`) ?? 'unknown';
  };
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false;
    for (const { object, relation } of atoms) {
      const value = truthOf(relation.expression, { world, subject, object, relation, read });
      const key = `${object}#${relation.name}`;
      if (value === (truths.get(key) ?? 'unknown')) continue;
      truths.set(key, value);
      hasChanged = true;
    }
  }
  let founded: ReadonlySet<string> | undefined;
  return {
    truth: read,
    isWellFounded(object, relation) {
      founded ??= wellFounded(world, subject);
      return `${object}#${relation}` === subject || founded.has(`${object}#${relation}`);
    },
  };
}

interface Place {
  readonly world: World;
  readonly subject: string;
  readonly object: string;
  readonly relation: WorldRelation;
  readonly read: (object: string, relation: string) => Truth;
}

function truthOf(expression: Expression, place: Place): Truth {
  switch (expression.op) {
    case 'direct':
      return anyOf(
        standing(place.world, place.object, place.relation).map((tuple) => directTruth(tuple, place)),
      );
    case 'computed':
      return place.read(place.object, expression.relation);
    case 'parent':
      return anyOf(
        parentsOf(place.world, place.object)
          .filter(({ user }) => relationOf(place.world, user, expression.relation) !== undefined)
          .map((tuple) => guarded(tuple, () => place.read(tuple.user, expression.relation))),
      );
    case 'any':
      return anyOf(expression.of.map((one) => truthOf(one, place)));
    case 'all':
      return allOf(expression.of.map((one) => truthOf(one, place)));
    case 'minus':
      return allOf([truthOf(expression.base, place), opposite(truthOf(expression.subtract, place))]);
  }
}

function directTruth(tuple: WorldTuple, { subject, read }: Place): Truth {
  if (tuple.user === subject || isCoveredBy(subject, tuple.user)) return guarded(tuple, () => 'yes');
  const [object = '', relation] = tuple.user.split('#');
  return relation === undefined ? 'no' : guarded(tuple, () => read(object, relation));
}

/** A condition is asked first: one that breaks makes the tuple unknown, whoever it is about. */
function guarded(tuple: WorldTuple, then: () => Truth): Truth {
  if (tuple.condition === 'breaks') return 'unknown';
  return tuple.condition === 'fails' ? 'no' : then();
}

function anyOf(values: readonly Truth[]): Truth {
  if (values.includes('yes')) return 'yes';
  return values.includes('unknown') ? 'unknown' : 'no';
}

function allOf(values: readonly Truth[]): Truth {
  if (values.includes('no')) return 'no';
  return values.includes('unknown') ? 'unknown' : 'yes';
}

function opposite(value: Truth): Truth {
  if (value === 'unknown') return 'unknown';
  return value === 'yes' ? 'no' : 'yes';
}

/** Tuples that the model lets stand. */
function standing(world: World, object: string, relation: WorldRelation): readonly WorldTuple[] {
  return world.tuples.filter(
    (tuple) =>
      tuple.object === object &&
      tuple.relation === relation.name &&
      relation.allowed.some(
        ({ who, condition }) => who === kindOf(tuple.user) && condition === tuple.condition,
      ),
  );
}

function parentsOf(world: World, object: string): readonly WorldTuple[] {
  const relation = relationOf(world, object, 'parent');
  return relation === undefined ? [] : standing(world, object, relation);
}

function relationOf(world: World, object: string, name: string): WorldRelation | undefined {
  return world.relations.find((relation) => isOf(object, relation.type) && relation.name === name);
}

function isOf(object: string, type: string): boolean {
  return object.slice(0, object.indexOf(':')) === type;
}

function kindOf(user: string): string {
  if (user.endsWith(':*')) return user;
  const [object = '', relation] = user.split('#');
  const type = object.slice(0, object.indexOf(':'));
  return relation === undefined ? type : `${type}#${relation}`;
}

function isCoveredBy(subject: string, user: string): boolean {
  return user.endsWith(':*') && !subject.includes('#') && isOf(subject, user.slice(0, -2));
}

/** The relations that some path of the model connects with this kind of user; the others are simply false. */
function possibleFor(world: World, subject: string): ReadonlySet<string> {
  const kind = kindOf(subject);
  const kinds = subject.includes('#') ? [kind] : [kind.replace(':*', ''), `${kind.replace(':*', '')}:*`];
  const possible = new Set(subject.includes('#') ? [kind] : []);
  for (let before = -1; before < possible.size; ) {
    before = possible.size;
    for (const relation of world.relations)
      if (canHold(relation, relation.expression)) possible.add(`${relation.type}#${relation.name}`);
  }
  return possible;

  function canHold(relation: WorldRelation, expression: Expression): boolean {
    switch (expression.op) {
      case 'direct':
        return relation.allowed.some(({ who }) => kinds.includes(who) || possible.has(who));
      case 'computed':
        return possible.has(`${relation.type}#${expression.relation}`);
      case 'parent': {
        const parents = world.relations.find(({ type, name }) => type === relation.type && name === 'parent');
        return (parents?.allowed ?? []).some(({ who }) => possible.has(`${who}#${expression.relation}`));
      }
      case 'minus':
        return canHold(relation, expression.base) || canHold(relation, expression.subtract);
      default:
        return expression.of.some((one) => canHold(relation, one));
    }
  }
}

/** The alternating fixed point: what is surely true against what may be true, until both stay. */
function wellFounded(world: World, subject: string): ReadonlySet<string> {
  let sure: ReadonlySet<string> = new Set();
  for (;;) {
    const maybe = leastModel(world, subject, { against: sure, brokenHolds: true });
    const next = leastModel(world, subject, { against: maybe, brokenHolds: false });
    if (next.size === sure.size) return sure;
    sure = next;
  }
}

interface Guess {
  /** What is taken to be true where it is subtracted. */
  readonly against: ReadonlySet<string>;
  readonly brokenHolds: boolean;
}

function leastModel(world: World, subject: string, guess: Guess): ReadonlySet<string> {
  const held = new Set<string>();
  for (let before = -1; before < held.size; ) {
    before = held.size;
    for (const object of world.objects) {
      for (const relation of world.relations)
        if (isOf(object, relation.type) && holds(relation.expression, object, relation, true))
          held.add(`${object}#${relation.name}`);
    }
  }
  return held;

  function holds(
    expression: Expression,
    object: string,
    relation: WorldRelation,
    isPositive: boolean,
  ): boolean {
    const has = (key: string): boolean => key === subject || (isPositive ? held : guess.against).has(key);
    const counts = ({ condition }: WorldTuple): boolean =>
      condition === '' ||
      condition === 'holds' ||
      (condition === 'breaks' && guess.brokenHolds === isPositive);
    switch (expression.op) {
      case 'direct':
        return standing(world, object, relation).some(
          (tuple) =>
            counts(tuple) && (tuple.user === subject || isCoveredBy(subject, tuple.user) || has(tuple.user)),
        );
      case 'computed':
        return has(`${object}#${expression.relation}`);
      case 'parent':
        return parentsOf(world, object).some(
          (tuple) => counts(tuple) && has(`${tuple.user}#${expression.relation}`),
        );
      case 'any':
        return expression.of.some((one) => holds(one, object, relation, isPositive));
      case 'all':
        return expression.of.every((one) => holds(one, object, relation, isPositive));
      case 'minus':
        return (
          holds(expression.base, object, relation, isPositive) &&
          !holds(expression.subtract, object, relation, !isPositive)
        );
    }
  }
}
