export { createFakeExchange, type FakeExchange, type FakeExchangeOptions } from './fake-exchange.js';
export { createFakeProvider, type FakeHandler, type FakeProvider } from './fake-provider.js';
export { callTool, type Called, type CallParts } from './call-tool.js';
export { createFakeFiles, type FakeFiles } from './fake-files.js';
export { openAccessEngine } from './open-access-engine.js';
export { openToolIndex } from './open-tool-index.js';
export type {
  Confidence,
  Found,
  Hit,
  Need,
  SearchOptions,
  SynonymClass,
  ToolIndex,
  ToolIndexParts,
  ToolText,
} from '../search/index.js';
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
export { accessStoreCases } from './access-store-cases.js';
export type { AccessStoreCase, OpenAccessStore } from './access-store/case.js';
export type {
  AccessStore,
  AuditFilter,
  AuditRecord,
  GrantChange,
  GrantChanges,
  GrantFilter,
  GrantKey,
  GrantsWritten,
  GrantTuple,
  GrantWrite,
  StoredAudit,
  StoredGrant,
  StoreErrorCode,
  TokenRecord,
} from '../access/ports/index.js';
export {
  type AdvertisedTool,
  type CallKind,
  inConversation,
  type ModelRequest,
  type ModelScript,
  openScriptedModel,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedDelivery,
  type ScriptedFault,
  type ScriptedModel,
  type ScriptedTurn,
  type ToolResult,
} from '../model/index.js';
