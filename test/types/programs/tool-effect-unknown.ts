import { defineTool } from '../../../src/tool/index.js';

export const tool = defineTool({
  name: 'remove',
  title: 'Remove',
  description: 'Removes a file.',
  effect: 'delete', // wrong: read, write, execute or ask
  // right: effect: 'write',
  inputSchema: { type: 'object' },
  run: () => 'gone',
});
