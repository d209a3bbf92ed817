export { type Attempt, beginAttempt, type Beginning, type OpenAttempt, traceIdOf } from './attempt.js';
export {
  type Call,
  clientAdditions,
  content,
  faulted,
  type Outcome,
  type Request,
  type Resumption,
  type Target,
  type Trace,
  type Wanted,
  wantedName,
} from './call.js';
export {
  type Answer,
  createQuietExchange,
  DerivedExchange,
  deriveExchange,
  type EndStep,
  type Exchange,
  type LogLevel,
  logLevels,
  type Question,
  type QuestionMethod,
  questionMethods,
} from './exchange.js';
export {
  createFault,
  type Fault,
  type FaultCode,
  faultData,
  faultCodes,
  faultRow,
  faultTable,
  type Fixer,
} from './fault.js';
export { idlePatternLines } from './idle-patterns.js';
export type { PortName, Tier } from './port-tiers.js';
export type { Parsed, Provider, ProviderState, ProviderStatus } from './provider.js';
export type { InputOf, OutputOf, Schema, SchemaIssue } from './schema.js';
export {
  type Caller,
  type Client,
  isOperator,
  type Protocol,
  type Delegation,
  type Principal,
  principalKey,
  type Session,
  type SessionScope,
  shareOwner,
} from './session.js';
export type { OpenSpanFor } from './span.js';
export { type Next, type Observer, type Stage, type StageName, stageNames } from './stage.js';
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
export type { ToolDefinition } from './tool-definition.js';
export { type FailureFacts, isToolFailure, ToolFailure, type WorkCode } from './tool-failure.js';
export { createToolFilter, matchesPattern } from './tool-filter.js';
export type { VisibleTools } from './visible-tools.js';
