import { defineTool, z } from '../../../src/tool/index.js';

export const tool = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  effect: 'read',
  hints: { destructive: true }, // wrong: what only reads destroys nothing
  // right: hints: { openWorld: true },
  input: z.object({ name: z.string().describe('Whom.') }),
  run: () => 'hello',
});
