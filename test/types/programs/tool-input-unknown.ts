import { defineTool } from '../../../src/tool/index.js';

export const tool = defineTool<{ readonly name: string }>({
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  effect: 'read',
  inputSchema: { type: 'object' },
  run: ({ nmae }) => `Hello, ${nmae}`, // wrong: the input has the members that it was declared with
  // right: run: ({ name }) => `Hello, ${name}`,
});
