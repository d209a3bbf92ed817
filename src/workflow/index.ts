export { digestOf, isInside } from './agent-program.js';
export { type Bundle, bundleOf } from './bundle.js';
export { exitOfCode, type WorkflowCode, workflowCodes } from './codes.js';
export { workflowJsonSchema } from './fields/json-schema.js';
export { describeFinding, type Finding } from './finding.js';
export { readInputs } from './grammar/inputs.js';
export type { Input } from './grammar/workflow.js';
export { type FixedLibrary, openFixedLibrary } from './fixed-library.js';
export { type Library, type LibraryParts, openLibrary } from './library.js';
export { planLines, planMermaid } from './plan.js';
export {
  beginJournal,
  readJournal,
  resumeJournal,
  type RunEnd,
  type RunHead,
  type RunStep,
} from './run/journal.js';
export type { StepResult } from './run/result.js';
export type { RunEvent, Tickets } from './run/run-parts.js';
export { type RunResult, runWorkflow } from './run/run-workflow.js';
export { openTranscript } from './run/transcript.js';
export { type Validated, validateWorkflow } from './validate/validate-workflow.js';
export type { ProviderName } from './grammar/providers.js';
export type { GatewayNames as GateNames } from './validate/agents.js';
export type { FindRivals } from './validate/plugins.js';
export { filesIn } from './workflow-folders.js';
