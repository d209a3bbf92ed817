import type { ToolModule } from '../kernel/index.js';

/** Defines a tool. The name, the words for the model, the schema and the code stand in one place. */
export function defineTool<Input>(tool: ToolModule<Input>): ToolModule<Input> {
  return Object.freeze({ ...tool });
}
