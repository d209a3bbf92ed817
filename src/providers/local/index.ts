export { openCardMemory } from './card-memory.js';
export {
  createLocalProvider,
  type LocalProvider,
  type LocalProviderParts,
  type LocalTool,
} from './local-provider.js';
export { scanWorkspace, type ToolFile } from './scan-workspace.js';
export { openWorkspaceTools, type WorkspaceReport, type WorkspaceTools } from './workspace-tools.js';
