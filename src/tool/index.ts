export type {
  Effect,
  Exchange,
  Hints,
  Session,
  ToolContext,
  ToolModule,
  ToolOutput,
} from '../kernel/index.js';
export { defineTool } from './define-tool.js';
