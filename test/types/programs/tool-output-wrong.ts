import { defineTool, z } from '../../../src/tool/index.js';

export const tool = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  effect: 'read',
  input: z.object({ name: z.string().describe('Whom.') }),
  output: z.object({ greeting: z.string().describe('The words.') }),
  run: ({ name }) => ({ data: { greting: name } }), // wrong: the data has the members of the output schema
  // right: run: ({ name }) => ({ data: { greeting: name } }),
});
