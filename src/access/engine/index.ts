export { AccessError, type AccessErrorCode, type Problem } from './access-error.js';
export { compileModel } from './compile-model.js';
export { type Condition, type Conditions, type Context, loadConditions } from './conditions.js';
export {
  createEngine,
  type Engine,
  type EngineOptions,
  type ListObjectsRequest,
  type ListUsersRequest,
  type RequestOptions,
  type TupleKey,
} from './engine.js';
export type { ExpandTree } from './expand.js';
export type { Explanation, Place, Proof } from './explain.js';
export { createMemoryTuples, type MemoryTuples, overlay } from './memory-tuples.js';
export type { CompiledModel } from './model.js';
export { type AccessEngine, type AccessEngineParts, openAccessEngine } from './open-access-engine.js';
export { answerFrom, type AsyncTupleSource, type TupleSource } from './tuple-source.js';
export { formatTuple, parseTuple, type Relationship, type Tuple, type TupleCondition } from './tuple.js';
