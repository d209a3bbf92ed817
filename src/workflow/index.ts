export { exitOfCode, type WorkflowCode, workflowCodes } from './codes.js';
export { describeFinding, type Finding, findingOf, hasErrors } from './finding.js';
export { filesIn, type Library, openLibrary, type SourceReading } from './library.js';
export { createNoPlugins } from './no-plugins.js';
export { type Validated, type ValidateParts, validateWorkflow } from './validate/validate-workflow.js';
