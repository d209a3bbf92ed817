import { AccessError, type AccessErrorCode } from './access-error.js';
import type { Context } from './conditions.js';

/** "user has relation to object", optionally with a condition. */
export interface Tuple {
  /** `type:id`, `type:*` or `type:id#relation`. */
  readonly user: string;
  readonly relation: string;
  /** `type:id`. */
  readonly object: string;
  readonly condition?: TupleCondition | undefined;
}

export interface TupleCondition {
  readonly name: string;
  readonly context?: Context | undefined;
}

export interface User {
  readonly user: string;
  /** The user without its relation. */
  readonly userObject: string;
  readonly userType: string;
  /** Empty unless the user is a userset. */
  readonly userRelation: string;
  readonly isWildcard: boolean;
  /** The kind of user in model syntax: `user`, `user:*` or `group#member`. */
  readonly reference: string;
}

/** A parsed tuple, so that checks need not parse again. */
export interface Relationship extends User {
  readonly relation: string;
  readonly object: string;
  readonly objectType: string;
  readonly condition: TupleCondition | undefined;
}

// Lengths are checked separately, because counted repetitions are several times slower and every request is parsed.
const objectShape = /^([^\s:#@]+):([^\s:#]+)$/;
const relationShape = /^[^\s:#@*]+$/;
const longest = { object: 512, relation: 50 };

/** Parses a tuple, without checking it against a model. */
export function parseTuple(tuple: Tuple): Relationship {
  const user = parseUser(tuple.user, 'tuple.user');
  const objectType = parseObject(tuple.object, 'tuple.object');
  if (typeof tuple.relation !== 'string' || !isRelation(tuple.relation))
    throw new AccessError('tuple.relation', `${JSON.stringify(tuple.relation)} is not a relation`);
  const { relation, object } = tuple;
  // An empty name means "no condition", as in OpenFGA.
  const condition = tuple.condition?.name === '' ? undefined : (tuple.condition ?? undefined);
  // No spread: it is ten times slower, and stores are filled through here.
  return {
    user: user.user,
    userObject: user.userObject,
    userType: user.userType,
    userRelation: user.userRelation,
    isWildcard: user.isWildcard,
    reference: user.reference,
    relation,
    object,
    objectType,
    condition,
  };
}

export function parseUser(user: string, code: AccessErrorCode): User {
  const [userObject = '', userRelation = '', more] = typeof user === 'string' ? user.split('#') : [];
  const [, userType, id] = objectShape.exec(userObject) ?? [];
  const isWildcard = id === '*';
  const isUserset = typeof user === 'string' && user.includes('#');
  const isSound = more === undefined && (!isUserset || (isRelation(userRelation) && !isWildcard));
  if (userType === undefined || !isSound || userObject.length > longest.object)
    throw new AccessError(
      code,
      `${JSON.stringify(user)} is not a valid user. Use type:id, type:* or type:id#relation`,
    );
  const suffix = isUserset ? `#${userRelation}` : isWildcard ? ':*' : '';
  return { user, userObject, userType, userRelation, isWildcard, reference: userType + suffix };
}

/** The type of an object. */
export function parseObject(object: string, code: AccessErrorCode): string {
  const [, type, id] = typeof object === 'string' ? (objectShape.exec(object) ?? []) : [];
  if (type === undefined || id === '*' || object.length > longest.object)
    throw new AccessError(code, `${JSON.stringify(object)} is not a valid object. Use type:id`);
  return type;
}

function isRelation(text: string): boolean {
  return text.length <= longest.relation && relationShape.test(text);
}

export function formatTuple({ user, relation, object }: Tuple): string {
  return `${object}#${relation}@${user}`;
}
