import { defineTool, z } from '../../../src/tool/index.js';

export const tool = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  effect: 'read',
  needs: ['flies'], // wrong: there is no such port
  // right: needs: ['files'],
  input: z.object({ name: z.string().describe('Whom.') }),
  run: () => 'hello',
});
