import { defineTool, z } from '../../../src/tool/index.js';

export const tool = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  effect: 'read',
  input: z.object({ name: z.string().describe('Whom.') }),
  run: ({ name }) => ({ data: { name } }), // wrong: without an output schema there is no data
  // right: run: ({ name }) => name,
});
