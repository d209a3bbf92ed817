import type { ToolModule } from '../../ports/tool-module.js';

/** Limits a tool to operation steps of workflows. */
export function forWorkflows(tool: ToolModule): ToolModule {
  return Object.freeze({ ...tool, reach: 'workflow' });
}
