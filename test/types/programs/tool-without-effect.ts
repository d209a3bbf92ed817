import { defineTool, z } from '../../../src/tool/index.js';

const words = { name: 'greet', title: 'Greet', description: 'Says hello.' };
const input = z.object({});

export const tool = defineTool({ ...words, input, run: () => 'hello' }); // wrong: it says what it does
// right: export const tool = defineTool({ ...words, input, effect: 'read', run: () => 'hello' });
