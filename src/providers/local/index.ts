export { openCardMemory } from './card-memory.js';
export { createArgumentCheck } from './check-arguments.js';
export { createLocalProvider, type LocalTool } from './local-provider.js';
export { type FindImports, scanWorkspace, type ToolFile, toolFolder } from './scan-workspace.js';
export { type FoundTools, openWorkspaceTools, type WorkspaceReport } from './workspace-tools.js';
