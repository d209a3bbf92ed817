export { z } from 'zod';
export {
  type AnyOperation,
  defineOperation,
  definePlugin,
  type EmittedEvent,
  type Event,
  type Issue,
  type ObjectSchema,
  type Operation,
  type OperationContext,
  type OperationResult,
  type Plugin,
  type Step,
  type StepResult,
  type StepType,
  type Validators,
  type Workflow,
} from './define-plugin.js';
export { runPluginFile } from './run-plugin-file.js';
export { servePlugin } from './serve-plugin.js';
