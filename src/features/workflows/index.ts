export { agentFlowText } from './agent-flow.js';
export { planFlow } from './plan.js';
export { listRuns, runFlow, showRun } from './run.js';
export type { RunAnswer, RunOptions } from './run-options.js';
export { workflowToTrust, type WorkflowToTrust } from './trust.js';
export { type ValidateAnswer, validateWorkflows } from './validate.js';
export {
  describeFinding,
  type Finding,
  type RunEvent,
  type RunResult,
  type StepResult,
} from '../../workflow/index.js';
export { workflowJsonSchema } from '../../workflow/index.js';
export { agentNames, type AgentReport, reportAgents } from '../../workspace/agents/agent-reports.js';
export { agentRoots } from '../../workspace/agents/agent-roots.js';
export { reportStarts } from '../../workspace/agents/try-starts.js';
export { tryAgent } from './try-agent.js';
export { type ExecAnswer, execAgent } from './exec-agent.js';
export type { RunLimit } from './run-limit.js';
