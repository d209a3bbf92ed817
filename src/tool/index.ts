export { z } from 'zod';
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
} from '../ports/files.js';
export type {
  ContentBlock,
  PlainResult,
  ToolContext,
  ToolModule,
  TypedResult,
} from '../ports/tool-module.js';
export {
  type Effect,
  type Exchange,
  type Hints,
  type InputOf,
  type OutputOf,
  type Schema,
  type Session,
  ToolFailure,
  type WorkCode,
} from '../core/index.js';
export type { PortName } from '../core/index.js';
export type { Search } from '../ports/search.js';
export type { Shell } from '../ports/shell.js';
export { defineGraph, type NodeContext, payload, type Payload } from './define-graph.js';
export { defineTool, type ToolDefinition } from './define-tool.js';
