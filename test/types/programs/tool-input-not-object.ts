import { defineTool, z } from '../../../src/tool/index.js';

export const tool = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  effect: 'read',
  input: z.string(), // wrong: arguments have names
  // right: input: z.object({ name: z.string().describe('Whom.') }),
  run: () => 'hello',
});
