import { expect, it } from 'vitest';
import { defineTool } from './define-tool.js';

it('a defined tool is what its author wrote, and cannot be changed afterwards', () => {
  const written = {
    name: 'greet',
    title: 'Greet',
    description: 'Says hello.',
    effect: 'read',
    inputSchema: { type: 'object' },
    run: ({ name }: { name: string }) => `Hello, ${name}`,
  } as const;
  const tool = defineTool(written);
  expect(tool).toEqual(written);
  expect(Object.isFrozen(tool)).toBe(true);
});
