import type { Evaluation } from './evaluate.js';
import { type LinkedModel, neighbours, type Relation, type Rule } from './linked-model.js';
import type { User } from './tuple.js';
import type { TupleSource } from './tuple-source.js';

export interface ListObjectsParts {
  readonly model: LinkedModel;
  readonly source: TupleSource;
  readonly user: User;
  readonly evaluation: Evaluation;
}

/**
 * The objects to which the user has the relation, sorted. Walks backwards from the user, ignoring exclusions, and checks
 * each candidate with the evaluator.
 */
export function listObjects(target: Relation, parts: ListObjectsParts): readonly string[] {
  const found = reachable(target, parts).filter((object) => parts.evaluation.isAllowed(target, object));
  // A custom comparison makes sorting ten thousand names twice as fast.
  return found.sort((one, other) => (one < other ? -1 : Number(one > other)));
}

function reachable(target: Relation, { model, source, user }: ListObjectsParts): string[] {
  const relevant = below(target, model);
  const uses = usesIn(relevant, model);
  const seen = new Map<Relation, Set<string>>();
  const queue: { readonly relation: Relation; readonly object: string }[] = [];
  const add = (relation: Relation | undefined, object: string): void => {
    if (relation === undefined || !relevant.has(relation)) return;
    let objects = seen.get(relation);
    if (objects === undefined) seen.set(relation, (objects = new Set()));
    const before = objects.size;
    if (objects.add(object).size > before) queue.push({ relation, object });
  };
  const addTuplesOf = (who: string): void => {
    let last: Relation | undefined;
    for (const { objectType, relation, object } of source.byUser(who)) {
      // Most tuples of a user have the same relation.
      if (last?.name !== relation || last.type !== objectType) last = model.find(objectType, relation);
      add(last, object);
    }
  };

  if (user.userRelation !== '') add(model.find(user.userType, user.userRelation), user.userObject);
  addTuplesOf(user.user);
  if (user.userRelation === '' && !user.isWildcard) addTuplesOf(`${user.userType}:*`);
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { relation, object } = next;
    const use = uses.get(relation);
    if (use?.isUserset === true) addTuplesOf(`${object}#${relation.name}`);
    for (const computed of use?.computed ?? []) add(computed, object);
    if (use === undefined || use.from.length === 0) continue;
    for (const tuple of source.byUser(object)) {
      for (const { tupleset, type, relation: child } of use.from)
        if (tuple.relation === tupleset && tuple.objectType === type) add(child, tuple.object);
    }
  }
  return [...(seen.get(target) ?? [])];
}

/** All relations that the target depends on, including itself. */
function below(target: Relation, model: LinkedModel): ReadonlySet<Relation> {
  const found = new Set([target]);
  for (const relation of found) for (const next of neighbours(relation, model.find)) found.add(next);
  return found;
}

/** How a relation leads to others: by tuples, by computed relations, or through a `from`. */
interface Use {
  isUserset: boolean;
  readonly computed: Relation[];
  readonly from: { readonly tupleset: string; readonly type: string; readonly relation: Relation }[];
}

function usesIn(relations: ReadonlySet<Relation>, model: LinkedModel): ReadonlyMap<Relation, Use> {
  const uses = new Map<Relation, Use>();
  const useOf = (relation: Relation): Use => {
    const use = uses.get(relation) ?? { computed: [], from: [], isUserset: false };
    uses.set(relation, use);
    return use;
  };
  for (const relation of relations) {
    for (const { type, relation: name } of relation.restrictions) {
      const userset = name === undefined ? undefined : model.find(type, name);
      if (userset !== undefined) useOf(userset).isUserset = true;
    }
    walk(relation, relation.rule);
  }
  return uses;

  function walk(relation: Relation, rule: Rule): void {
    if (rule.kind === 'computed') useOf(rule.relation).computed.push(relation);
    else if (rule.kind === 'through') {
      const { name: tupleset } = rule.tupleset;
      const parents = rule.tupleset.restrictions.map(({ type }) => model.find(type, rule.relation));
      for (const parent of new Set(parents))
        if (parent !== undefined) useOf(parent).from.push({ tupleset, type: relation.type, relation });
    } else if (rule.kind === 'not') {
      walk(relation, rule.base);
      walk(relation, rule.subtract);
    } else if (rule.kind !== 'direct') for (const child of rule.of) walk(relation, child);
  }
}
