import { AccessError } from './access-error.js';
import { compileModel } from './compile-model.js';
import { loadConditions } from './conditions.js';
import {
  createEngine,
  type Engine,
  type EngineOptions,
  type ListObjectsRequest,
  type ListUsersRequest,
  type RequestOptions,
  type TupleKey,
} from './engine.js';
import type { ExpandTree } from './expand.js';
import type { Explanation } from './explain.js';
import { createMemoryTuples } from './memory-tuples.js';
import type { CompiledModel } from './model.js';
import { formatTuple, type Tuple } from './tuple.js';

export interface AccessEngineParts extends EngineOptions {
  /** OpenFGA's language (schema 1.1), its JSON form, or a compiled model. */
  readonly model: string | object;
  /** Tuples as in a store: those that the model does not allow are kept but ignored. */
  readonly tuples?: readonly Tuple[];
}

/** An engine with in-memory tuples. Each method resolves, or rejects with an AccessError. */
export interface AccessEngine {
  readonly model: CompiledModel;
  check(tuple: TupleKey, options?: RequestOptions): Promise<boolean>;
  listObjects(request: ListObjectsRequest, options?: RequestOptions): Promise<readonly string[]>;
  listUsers(request: ListUsersRequest, options?: RequestOptions): Promise<readonly string[]>;
  expand(request: Pick<Tuple, 'relation' | 'object'>, options?: RequestOptions): Promise<ExpandTree>;
  explain(tuple: TupleKey, options?: RequestOptions): Promise<Explanation>;
  /** Adds all or none; existing tuples are replaced. */
  write(tuples: readonly Tuple[]): Promise<void>;
  /** Removes all or none; rejects if one does not exist. */
  remove(tuples: readonly TupleKey[]): Promise<void>;
}

export async function openAccessEngine({
  model,
  tuples = [],
  ...options
}: AccessEngineParts): Promise<AccessEngine> {
  const compiled = await compileModel(model);
  const memory = createMemoryTuples(tuples);
  const engine: Engine = createEngine(compiled, memory, await loadConditions(compiled), options);
  return {
    model: compiled,
    check: async (tuple, request) => engine.check(tuple, request),
    listObjects: async (query, request) => engine.listObjects(query, request),
    listUsers: async (query, request) => engine.listUsers(query, request),
    expand: async (query, request) => engine.expand(query, request),
    explain: async (tuple, request) => engine.explain(tuple, request),
    async write(added) {
      for (const tuple of added) engine.validate(tuple);
      for (const tuple of added) memory.add(tuple);
    },
    async remove(removed) {
      const missing = removed.find(
        ({ object, relation, user }) => memory.find(object, relation, user) === undefined,
      );
      if (missing !== undefined)
        throw new AccessError('tuple.not_found', `${formatTuple(missing)} does not exist`);
      for (const tuple of removed) memory.remove(tuple);
    },
  };
}
