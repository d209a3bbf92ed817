import { defineTool, z } from '../../../src/tool/index.js';

const words = { name: 'greet', title: 'Greet', description: 'Says hello.', effect: 'read' } as const;

export const tool = defineTool({ ...words, run: () => 'hello' }); // wrong: it says what it takes
// right: export const tool = defineTool({ ...words, input: z.object({}), run: () => 'hello' });
