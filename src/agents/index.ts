export {
  type Agent,
  type AgentAnswer,
  type AgentEvent,
  AgentFailure,
  type AgentOrder,
  type Usage,
} from './agent.js';
export { runOpenai } from './openai/run-openai.js';
export type { CliParts, AgentSocket, KnownCli, Verdict } from './cli-parts.js';
export { clis } from './clis.js';
export type { AgentCli, OwnWords } from './launch.js';
export { allowedTools, nativeLevel, nativeLevels, writtenTool } from './native-permissions.js';
export { type Launch, runCli, settingsOf } from './run-cli.js';
export { watchGateway } from './watch-gateway.js';
export { plantFiles } from './trial/planted.js';
export { type TrialGround, tryCli } from './trial/try-cli.js';
export { openLaunchFolder, removeFolder } from './launch-folder.js';
export { mergedEnvironment, startCli } from './start-cli.js';
export { startProblem } from './start-problem.js';
