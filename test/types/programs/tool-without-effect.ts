import { defineTool } from '../../../src/tool/index.js';

const words = { name: 'greet', title: 'Greet', description: 'Says hello.' };
const inputSchema = { type: 'object' } as const;

export const tool = defineTool({ ...words, inputSchema, run: () => 'hello' }); // wrong: it says what it does
// right: export const tool = defineTool({ ...words, inputSchema, effect: 'read', run: () => 'hello' });
