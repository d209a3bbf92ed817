export { type AgentFlow, agentFlowText } from './agent-flow.js';
export { planFlow } from './plan.js';
export { listRuns, runFlow, showRun } from './run.js';
export type { RunAnswer, RunWish } from './run-wish.js';
export type { RunReport } from './run-folders.js';
export { type ValidateAnswer, validateWorkflows } from './validate.js';
export {
  describeFinding,
  exitOfCode,
  type Finding,
  type RunEvent,
  type RunResult,
  type StepResult,
} from '../../workflow/index.js';
