import { defineTool, z } from 'tidegate/tool';

export default defineTool({
  name: 'word_count',
  title: 'Word count',
  description: 'Counts the words in a text. Use it when you need to know how long a text is.',
  effect: 'read',
  input: z.object({
    text: z.string().describe('Text to count.'),
  }),
  output: z.object({
    words: z.int().describe('Number of words.'),
  }),
  run({ text }) {
    const words = text.split(/\s+/).filter((word) => word !== '').length;
    return { data: { words }, text: `${words} words` };
  },
});
