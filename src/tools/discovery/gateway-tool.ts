import type { Reach } from '../../core/index.js';
import type { ToolModule } from '../../ports/tool-module.js';

/** Marks a tool as part of the gateway. It reveals only what the caller can see, so `reach` replaces grants. */
export function gatewayTool(tool: ToolModule, reach: Reach): ToolModule {
  return Object.freeze({ ...tool, reach });
}
