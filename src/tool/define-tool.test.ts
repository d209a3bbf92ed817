import { expect, it } from 'vitest';
import { z } from 'zod';
import { callTool } from '../testing/index.js';
import { defineTool } from './define-tool.js';

const greet = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Says hello.',
  effect: 'read',
  input: z.object({
    name: z.string().describe('Whom.'),
    times: z.int().min(1).default(1).describe('How often.'),
  }),
  output: z.object({ greeting: z.string().describe('The words.') }),
  aliases: { name: ['who'] },
  run: ({ name, times }) => ({ data: { greeting: `Hello, ${name}! `.repeat(times).trim() } }),
});

it('a defined tool cannot be changed afterwards', () => {
  expect(greet.name).toBe('greet');
  expect(Object.isFrozen(greet)).toBe(true);
});

it('a defined tool gets the arguments as parsed by its schema', async () => {
  expect(await callTool(greet, { who: 'Ada', times: '2' })).toEqual({
    data: { greeting: 'Hello, Ada! Hello, Ada!' },
    text: '{"greeting":"Hello, Ada! Hello, Ada!"}',
    content: [{ type: 'text', text: '{"greeting":"Hello, Ada! Hello, Ada!"}' }],
  });
  await expect(callTool(greet, { name: 'Ada', times: 0 })).rejects.toThrow();
});

it('a test gets an error that names the missing port', async () => {
  const tool = defineTool({
    name: 'roots',
    title: 'Roots',
    description: 'Tells the roots.',
    effect: 'read',
    needs: ['files'],
    input: z.object({}),
    run: (_input, { ports }) => ports.files.roots.join(),
  });
  await expect(callTool(tool, {})).rejects.toThrow('roots needs files');
});
