import type { GrantChange, GrantFilter, GrantKey, GrantTuple, GrantWrite } from '../access/ports/index.js';
import { conditionOf, conditionText } from './record-text.js';
import { compareKeys, keyOf, onlyKey } from './words.js';

/** The tuples of the zone before the write. */
export interface PresentGrants {
  find(key: GrantKey): GrantTuple | undefined;
  matching(filter: GrantFilter): Iterable<GrantTuple>;
}

export interface ChangePlan {
  readonly added: readonly GrantTuple[];
  readonly removed: readonly GrantTuple[];
}

/** What a write actually changes. A tuple that is removed and added unchanged stays. */
export function planChange(change: GrantWrite, present: PresentGrants): ChangePlan {
  const touched = new Map<string, { before: GrantTuple | undefined; after: GrantTuple | undefined }>();
  const put = (key: GrantKey, before: GrantTuple | undefined, after: GrantTuple | undefined): void => {
    const name = keyOf(key);
    const known = touched.get(name);
    if (known === undefined) touched.set(name, { before, after });
    else known.after = after;
  };
  const before = (key: GrantKey): GrantTuple | undefined =>
    touched.get(keyOf(key))?.before ?? present.find(key);
  for (const filter of change.removeMatching ?? [])
    for (const tuple of present.matching(filter)) put(tuple, tuple, undefined);
  for (const key of change.remove ?? []) put(key, before(key), undefined);
  for (const tuple of change.add ?? []) put(tuple, before(tuple), onlyTuple(tuple));
  const changed = [...touched.values()].filter(({ before, after }) => !isSame(before, after));
  return {
    removed: changed
      .flatMap(({ before }) => (before === undefined ? [] : [onlyTuple(before)]))
      .sort(compareKeys),
    added: changed.flatMap(({ after }) => (after === undefined ? [] : [after])).sort(compareKeys),
  };
}

/** The plan as followers see it: removals first, then additions. */
export function changesOf({ added, removed }: ChangePlan): readonly GrantChange[] {
  return [
    ...removed.map((tuple): GrantChange => ({ kind: 'remove', tuple: onlyKey(tuple) })),
    ...added.map((tuple): GrantChange => ({ kind: 'add', tuple })),
  ];
}

export function isMatch(tuple: GrantKey, { user, relation, object, objectType }: GrantFilter): boolean {
  return (
    (user === undefined || tuple.user === user) &&
    (relation === undefined || tuple.relation === relation) &&
    (object === undefined || tuple.object === object) &&
    (objectType === undefined || tuple.object.startsWith(`${objectType}:`))
  );
}

function isSame(one: GrantTuple | undefined, other: GrantTuple | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return conditionText(one.condition) === conditionText(other.condition);
}

/** Without the metadata of a stored tuple, and with its condition as it will be read back. */
function onlyTuple({ user, relation, object, condition: given }: GrantTuple): GrantTuple {
  const condition = conditionOf(conditionText(given));
  return condition === undefined ? { user, relation, object } : { user, relation, object, condition };
}
