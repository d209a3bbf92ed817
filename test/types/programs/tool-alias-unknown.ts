import { defineTool, z } from '../../../src/tool/index.js';

export const tool = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  effect: 'read',
  input: z.object({ name: z.string().describe('Whom.') }),
  aliases: { nmae: ['who'] }, // wrong: only an argument has other spellings
  // right: aliases: { name: ['who'] },
  run: () => 'hello',
});
