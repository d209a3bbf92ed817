import { defineTool, z } from '../../../src/tool/index.js';

export const tool = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  effect: 'read',
  needs: ['search'],
  input: z.object({ name: z.string().describe('Whom.') }),
  run: (_input, { ports }) => ports.files.roots.join(), // wrong: it named another port
  // right: run: (_input, { ports }) => ports.search.roots.join(),
});
