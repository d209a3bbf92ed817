import type { LocalTool } from '../providers/local/index.js';
export const builtinTools: readonly LocalTool[] = [];
