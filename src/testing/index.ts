export { createFakeExchange, type FakeExchange, type FakeExchangeOptions } from './fake-exchange.js';
export { createFakeProvider, type FakeHandler, type FakeProvider } from './fake-provider.js';
export { callTool, type Called, type CallParts } from './call-tool.js';
export { createFakeFiles, type FakeFiles } from './fake-files.js';
export { openAccessEngine } from './open-access-engine.js';
export type {
  AccessEngine,
  AccessEngineParts,
  AccessErrorCode,
  ExpandTree,
  Explanation,
  ListObjectsRequest,
  ListUsersRequest,
  RequestOptions,
  Tuple,
  TupleKey,
} from '../access/engine/index.js';
