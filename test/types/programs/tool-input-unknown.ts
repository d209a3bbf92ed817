import { defineTool, z } from '../../../src/tool/index.js';

export const tool = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  effect: 'read',
  input: z.object({ name: z.string().describe('Whom.') }),
  run: ({ nmae }) => `Hello, ${nmae}`, // wrong: the input has the members of its schema
  // right: run: ({ name }) => `Hello, ${name}`,
});
