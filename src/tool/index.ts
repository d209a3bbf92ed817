export { z } from 'zod';
export {
  type ContentBlock,
  type Effect,
  type Exchange,
  type Files,
  type Hints,
  type InputOf,
  type OutputOf,
  type PlainResult,
  type PortName,
  type Schema,
  type Search,
  type Session,
  type Shell,
  type ToolContext,
  ToolFailure,
  type ToolModule,
  type TypedResult,
  type WorkCode,
} from '../kernel/index.js';
export { defineGraph, type NodeContext, payload, type Payload } from './define-graph.js';
export { defineTool, type ToolDefinition } from './define-tool.js';
