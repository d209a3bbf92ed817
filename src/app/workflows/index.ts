export { type ValidateAnswer, validateWorkflows } from './validate.js';
export { describeFinding, type Finding, workflowCodes } from '../../workflow/index.js';
