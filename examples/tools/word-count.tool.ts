import { defineTool, z } from 'tidegate/tool';

export default defineTool({
  name: 'word_count',
  title: 'Word count',
  description: 'Counts the words of a text. Use it when somebody asks how long a text is.',
  effect: 'read',
  input: z.object({
    text: z.string().describe('The text to look at.'),
  }),
  output: z.object({
    words: z.int().describe('How many words the text has.'),
  }),
  run({ text }) {
    const words = text.split(/\s+/).filter((word) => word !== '').length;
    return { data: { words }, text: `${words} words` };
  },
});
