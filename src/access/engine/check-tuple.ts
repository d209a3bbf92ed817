import { AccessError } from './access-error.js';
import type { Conditions } from './conditions.js';
import type { LinkedModel, Relation } from './linked-model.js';
import { formatTuple, parseTuple, type Relationship, type Tuple } from './tuple.js';

/** Throws if the model does not allow the tuple. */
export function checkTuple(tuple: Tuple, model: LinkedModel, conditions: Conditions): Relationship {
  const relationship = parseTuple(tuple);
  const { userType, userRelation, objectType, relation } = relationship;
  const words = formatTuple(tuple);
  if (!model.hasType(userType) || (userRelation !== '' && model.find(userType, userRelation) === undefined))
    throw new AccessError('tuple.user', `${words}: the user's type or relation is not in the model`);
  if (!model.hasType(objectType))
    throw new AccessError('tuple.object', `${words}: type ${objectType} is not in the model`);
  const target = model.find(objectType, relation);
  if (target === undefined)
    throw new AccessError('tuple.relation', `${words}: ${objectType}#${relation} is not in the model`);
  checkRestriction(relationship, target, words);
  checkCondition(relationship, target, conditions);
  return relationship;
}

/** Whether the current model allows this tuple. Tuples of an older model may be invalid and are ignored. */
export function isAllowed(relationship: Relationship, relation: Relation): boolean {
  return relation.allowed.get(relationship.reference)?.has(relationship.condition?.name ?? '') === true;
}

function checkRestriction(relationship: Relationship, relation: Relation, words: string): void {
  const { reference } = relationship;
  const allowed = relation.allowed.get(reference);
  const at = `${relation.type}#${relation.name}`;
  if (allowed === undefined)
    throw new AccessError('tuple.type_not_allowed', `${words}: ${at} does not allow ${reference}`);
  if (relationship.condition === undefined && !allowed.has(''))
    throw new AccessError(
      'tuple.condition_missing',
      `${words}: ${at} allows ${reference} only with a condition`,
    );
}

function checkCondition(relationship: Relationship, relation: Relation, conditions: Conditions): void {
  const { condition } = relationship;
  if (condition === undefined) return;
  const words = formatTuple(relationship);
  const known = conditions.get(condition.name);
  if (known === undefined)
    throw new AccessError(
      'tuple.condition_unknown',
      `${words}: the model has no condition ${condition.name}`,
    );
  if (!isAllowed(relationship, relation))
    throw new AccessError(
      'tuple.condition_not_allowed',
      `${words}: ${relation.type}#${relation.name} does not allow condition ${condition.name}`,
    );
  const refusal = known.refuses(condition.context ?? {});
  if (refusal !== undefined) throw new AccessError('tuple.condition_context', `${words}: ${refusal}`);
}
