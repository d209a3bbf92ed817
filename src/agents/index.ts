export {
  type Agent,
  type AgentAnswer,
  type AgentEvent,
  AgentFailure,
  type AgentOrder,
  type Usage,
} from './agent.js';
export { runOpenai } from './openai/run-openai.js';
