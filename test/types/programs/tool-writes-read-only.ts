import { defineTool, z } from '../../../src/tool/index.js';

export const tool = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  effect: 'write',
  hints: { readOnly: true }, // wrong: what writes is not read-only
  // right: hints: { idempotent: true },
  input: z.object({ name: z.string().describe('Whom.') }),
  run: () => 'hello',
});
