import type { ToolModule } from '../../../src/tool/index.js';

export function rename(tool: ToolModule): void {
  tool.name = 'other'; // wrong: a tool is what its author wrote
  // right: void tool.name;
}
