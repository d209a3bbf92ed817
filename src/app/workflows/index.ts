export { agentFlowText } from './agent-flow.js';
export { planFlow } from './plan.js';
export { listRuns, runFlow, showRun } from './run.js';
export type { RunAnswer, RunWish } from './run-wish.js';
export { workflowToTrust } from './trust.js';
export { type ValidateAnswer, validateWorkflows } from './validate.js';
export {
  describeFinding,
  type Finding,
  type RunEvent,
  type RunResult,
  type StepResult,
} from '../../workflow/index.js';
export { workflowJsonSchema } from '../../workflow/index.js';
export { agentNames, type AgentReport, reportAgents } from './agent-reports.js';
export { reportStarts } from './try-starts.js';
export { tryAgent } from './try-agent.js';
export { type ExecAnswer, execAgent } from './exec-agent.js';
