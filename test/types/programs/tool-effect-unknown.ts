import { defineTool, z } from '../../../src/tool/index.js';

export const tool = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  effect: 'delete', // wrong: read, write, execute or ask
  // right: effect: 'write',
  input: z.object({ name: z.string().describe('Whom.') }),
  run: () => 'gone',
});
