/** The source of a new tool. It works without changes, so its author starts from something that runs. */
export function newToolText(name: string): string {
  return `import { defineTool, z } from 'tidegate/tool';

export default defineTool({
  name: '${name}',
  title: '${titleOf(name)}',
  description: 'Counts the words in a piece of text. Use it to find out how long the text is.',
  effect: 'read',
  input: z.object({
    text: z.string().describe('The text to count words in.'),
  }),
  output: z.object({
    words: z.int().describe('Number of words in the text.'),
  }),
  run({ text }) {
    const words = text.split(/\\s+/).filter((word) => word !== '').length;
    return { data: { words }, text: \`\${words} words\` };
  },
});
`;
}

export function newTestText(name: string): string {
  const file = name.replaceAll('_', '-');
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callTool } from 'tidegate/testing';
import tool from '../tools/${file}.tool.ts';

test('counts words', async () => {
  const { data } = await callTool(tool, { text: 'one two  three' });
  assert.deepEqual(data, { words: 3 });
});
`;
}

function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
