import { AccessError } from './access-error.js';
import { checkTuple } from './check-tuple.js';
import type { Conditions, Context } from './conditions.js';
import { createEvaluation, type Evaluation } from './evaluate.js';
import { expand, type ExpandTree } from './expand.js';
import { explain, type Explanation } from './explain.js';
import { type LinkedModel, linkModel, type Relation } from './linked-model.js';
import { listObjects } from './list-objects.js';
import { listUsers, type UserFilter } from './list-users.js';
import { createMemoryTuples, overlay } from './memory-tuples.js';
import type { CompiledModel } from './model.js';
import { parseObject, parseUser, type Tuple, type User } from './tuple.js';
import type { TupleSource } from './tuple-source.js';

export interface RequestOptions {
  /** Additional tuples for this request only. */
  readonly contextualTuples?: readonly Tuple[] | undefined;
  /** Values for condition parameters. */
  readonly context?: Context | undefined;
}

/** "user has relation to object", as a question. */
export type TupleKey = Pick<Tuple, 'user' | 'relation' | 'object'>;

export interface ListObjectsRequest {
  readonly user: string;
  readonly relation: string;
  readonly type: string;
}

export interface ListUsersRequest {
  readonly object: string;
  readonly relation: string;
  /** `user` or `group#member`. */
  readonly filters: readonly string[];
}

/** Synchronous. Every method throws an AccessError if it has no answer, which must be treated as a denial. */
export interface Engine {
  check(tuple: TupleKey, options?: RequestOptions): boolean;
  /** For many checks of one user in one state: results are shared between them. */
  predicate(user: string, options?: RequestOptions): (relation: string, object: string) => boolean;
  listObjects(request: ListObjectsRequest, options?: RequestOptions): readonly string[];
  listUsers(request: ListUsersRequest, options?: RequestOptions): readonly string[];
  expand(request: Pick<Tuple, 'relation' | 'object'>, options?: RequestOptions): ExpandTree;
  explain(tuple: TupleKey, options?: RequestOptions): Explanation;
  /** Throws if the model does not allow the tuple. */
  validate(tuple: Tuple): void;
}

export interface EngineOptions {
  /** Maximum resolution depth. Default: 25, like OpenFGA. */
  readonly maxDepth?: number;
}

const noConditions: Conditions = new Map();
const noContext: Context = {};

/** Evaluates a compiled model against the current tuples of a source. */
export function createEngine(
  compiled: CompiledModel,
  source: TupleSource,
  conditions: Conditions = noConditions,
  { maxDepth = 25 }: EngineOptions = {},
): Engine {
  const missing = compiled.conditions.find(({ name }) => !conditions.has(name));
  if (missing !== undefined)
    throw new AccessError(
      'condition.not_loaded',
      `condition ${missing.name} is not loaded: pass loadConditions(model)`,
    );
  const model = linkModel(compiled);

  function prepare(
    user: User,
    options: RequestOptions,
  ): { readonly source: TupleSource; readonly evaluation: Evaluation } {
    const { contextualTuples = [], context = noContext } = options;
    let tuples = source;
    if (contextualTuples.length > 0) {
      for (const tuple of contextualTuples) checkTuple(tuple, model, conditions);
      tuples = overlay(createMemoryTuples(contextualTuples), source);
    }
    const evaluation = createEvaluation({ model, conditions, source: tuples, user, context, maxDepth });
    return { source: tuples, evaluation };
  }

  return {
    check(tuple, options = {}) {
      const { user, relation } = readTupleKey(tuple, model);
      return prepare(user, options).evaluation.isAllowed(relation, tuple.object);
    },
    predicate(asked, options = {}) {
      const { evaluation } = prepare(readUser(asked, model), options);
      return (relation, object) => evaluation.isAllowed(readRelation(relation, object, model), object);
    },
    listObjects({ user: asked, relation: name, type }, options = {}) {
      const relation = findRelation(type, name, model);
      const user = readUser(asked, model);
      return listObjects(relation, { model, user, ...prepare(user, options) });
    },
    listUsers({ object, relation: name, filters }, options = {}) {
      const relation = findRelation(parseObject(object, 'request.object'), name, model);
      const wanted = readFilters(filters, model);
      const parts = { model, maxDepth, ...prepare(anyUser, options) };
      return [...new Set(wanted.flatMap((filter) => listUsers(relation, object, filter, parts)))].sort();
    },
    expand({ object, relation: name }, options = {}) {
      const relation = findRelation(parseObject(object, 'request.object'), name, model);
      return expand(relation, object, prepare(anyUser, options).source);
    },
    explain(tuple, options = {}) {
      const { user, relation } = readTupleKey(tuple, model);
      return explain(relation, tuple.object, { model, user, ...prepare(user, options) });
    },
    validate(tuple) {
      checkTuple(tuple, model, conditions);
    },
  };
}

/** Whether a tuple counts does not depend on the user. */
const anyUser: User = {
  user: '',
  userObject: '',
  userType: '',
  userRelation: '',
  isWildcard: false,
  reference: '',
};

function readTupleKey(
  tuple: TupleKey,
  model: LinkedModel,
): { readonly user: User; readonly relation: Relation } {
  const user = readUser(tuple.user, model);
  return { user, relation: readRelation(tuple.relation, tuple.object, model) };
}

function readRelation(name: string, object: string, model: LinkedModel): Relation {
  const type = parseObject(object, 'request.object');
  if (!model.hasType(type)) throw new AccessError('request.object', `the model has no type ${type}`);
  const relation = model.find(type, name);
  if (relation === undefined)
    throw new AccessError('request.relation', `type ${type} has no relation ${name}`);
  return relation;
}

function readUser(text: string, model: LinkedModel): User {
  const user = parseUser(text, 'request.user');
  if (!model.hasType(user.userType))
    throw new AccessError('request.user', `${text}: the model has no type ${user.userType}`);
  if (user.userRelation !== '' && model.find(user.userType, user.userRelation) === undefined)
    throw new AccessError(
      'request.user',
      `${text}: type ${user.userType} has no relation ${user.userRelation}`,
    );
  return user;
}

function findRelation(type: string, name: string, model: LinkedModel): Relation {
  if (!model.hasType(type)) throw new AccessError('request.unknown_type', `the model has no type ${type}`);
  const relation = model.find(type, name);
  if (relation === undefined)
    throw new AccessError('request.unknown_relation', `type ${type} has no relation ${name}`);
  return relation;
}

function readFilters(filters: readonly string[], model: LinkedModel): readonly UserFilter[] {
  if (filters.length === 0) throw new AccessError('request.filter', 'a user filter is required');
  return filters.map((filter) => {
    const [type = '', relation = ''] = filter.split('#');
    if (!model.hasType(type)) throw new AccessError('request.unknown_type', `the model has no type ${type}`);
    if (relation !== '') findRelation(type, relation, model);
    return { type, relation };
  });
}
