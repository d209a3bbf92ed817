import { defineTool, z } from '../../../src/tool/index.js';

export const tool = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  effect: 'read',
  optional: ['files'],
  input: z.object({ name: z.string().describe('Whom.') }),
  run: (_input, { ports }) => ports.files.roots.join(), // wrong: it may not be there
  // right: run: (_input, { ports }) => ports.files?.roots.join() ?? 'none',
});
