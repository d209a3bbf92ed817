export { atMost } from './at-most.js';
export {
  type Attempt,
  type Call,
  content,
  faulted,
  isToolError,
  type Outcome,
  type Request,
  type Resumption,
  type Target,
  type Trace,
  type Wanted,
  wantedName,
} from './call.js';
export {
  type Cancellation,
  type CancellationSource,
  cancellationOf,
  createCancellation,
} from './cancellation.js';
export type {
  Catalog,
  FoundTool,
  SearchAnswer,
  SearchWish,
  ServerInSight,
  SurfaceMode,
  ToolState,
  WaitAnswer,
} from './catalog-port.js';
export { decodeArguments } from './decode-arguments.js';
export {
  type Answer,
  createQuietExchange,
  type EndStep,
  type Exchange,
  type LogLevel,
  logLevels,
  type Question,
  type QuestionMethod,
  questionMethods,
} from './exchange.js';
export { createFault, type Fault, type FaultCode, faultCodes, faultTable, type Fixer } from './fault.js';
export type {
  BinaryFile,
  FileChange,
  FileFacts,
  FilePage,
  Files,
  ImageFile,
  TextEdit,
  TextLine,
  TextPage,
} from './files-port.js';
export {
  errorText,
  type Frame,
  idKey,
  maxDepth,
  notificationText,
  type RawId,
  readFrame,
  requestText,
  resultText,
} from './frame.js';
export {
  depthOf,
  elementsOf,
  emptyObject,
  hasDuplicateKeys,
  JsonText,
  type Member,
  memberOf,
  membersOf,
  onOneLine,
  splice,
  textOf,
  withMembers,
} from './json-text.js';
export { createLineReader, decodeUtf8, type Line } from './lines.js';
export type { Log, Redactor } from './log-port.js';
export { idlePatternLines } from './idle-patterns.js';
export { nearest } from './nearest.js';
export { createNoPlugins, unknownPlugin, unknownPluginProblem } from './no-plugins.js';
export {
  type PluginAnswer,
  pluginCapabilities,
  type PluginCapability,
  type PluginEvent,
  type PluginFacts,
  type PluginIssue,
  type PluginInput,
  type PluginOffer,
  type Plugins,
  type PluginStep,
  type PluginStepResult,
  pluginToolCodes,
  type PluginTools,
  type PluginToolsCheck,
  type PluginToolsProblem,
  type PluginWorkflow,
  type ValidateLimits,
} from './plugin-port.js';
export {
  type PortName,
  type PortService,
  type PortServices,
  type Readiness,
  type Tier,
  type ToolPorts,
} from './ports.js';
export { printable, printableJson, printableLines, withoutLongWords } from './printable.js';
export type { ChildProcess, Processes, ProcessExit, ProcessOrder } from './process.js';
export type { Parsed, Provider, ProviderState, ProviderStatus } from './provider.js';
export type { Runner, WorkflowFacts } from './runner-port.js';
export type { InputOf, OutputOf, Schema, SchemaIssue } from './schema.js';
export type { Search } from './search-port.js';
export {
  type Caller,
  type Client,
  type Era,
  type Link,
  type Principal,
  principalKey,
  type Session,
  type SessionScope,
} from './session.js';
export type { Shell } from './shell-port.js';
export { createLastWords } from './last-words.js';
export { formatPath, placeIn, quote } from './source-place.js';
export type { OpenSpanFor } from './span.js';
export { type Interceptor, type Next, type Observer, type Stage, stages } from './stage.js';
export {
  type Catalogue,
  type Effect,
  emptyCatalogue,
  type Hints,
  type PromptSpec,
  type Reach,
  type ResourceSpec,
  type Source,
  type Spec,
  type TemplateSpec,
  type ToolSpec,
} from './tool.js';
export { CardRefused, cardOf, type ToolCard } from './tool-card.js';
export { type FailureFacts, isToolFailure, ToolFailure, type WorkCode } from './tool-failure.js';
export type {
  ContentBlock,
  PlainResult,
  ToolContext,
  ToolModule,
  ToolResult,
  TypedResult,
} from './tool-module.js';
export { createToolFilter, matchesPattern } from './tool-filter.js';
export {
  isAbsent,
  kindOf,
  type MapEntry,
  type MapNode,
  offsetAt,
  type Path,
  type TreeNode,
} from './tree.js';
