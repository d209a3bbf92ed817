/** What a new tool looks like. It works as it is, so that its author changes something that runs. */
export function newToolText(name: string): string {
  return `import { defineTool, z } from 'tidegate/tool';

export default defineTool({
  name: '${name}',
  title: '${titleOf(name)}',
  description: 'Counts the words of a text. Use it when somebody asks how long a text is.',
  effect: 'read',
  input: z.object({
    text: z.string().describe('The text to look at.'),
  }),
  output: z.object({
    words: z.int().describe('How many words the text has.'),
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
