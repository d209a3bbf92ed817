import { defineGraph, payload, z } from 'tidegate/tool';

export default defineGraph({
  name: 'longest_line',
  title: 'Longest line',
  description: 'Finds the longest line in several files.',
  effect: 'read',
  needs: ['files'],
  input: z.object({
    files: z.array(z.string()).min(1).max(20).describe('Files to search.'),
  }),
  output: z.object({
    file: z.string().describe('File with the longest line.'),
    line: z.int().describe('Line number.'),
    length: z.int().describe('Number of characters in the line.'),
  }),
  payloads: {
    begin: payload<{ files: string[] }>(),
    read: payload<{ left: string[]; best: { file: string; line: number; length: number } }>(),
    tell: payload<{ file: string; line: number; length: number }>(),
  },
  first: 'begin',
  nodes: (node) => ({
    begin: node('begin', ['read'], ({ files }, { goto }) =>
      goto('read', { left: files, best: { file: '', line: 0, length: -1 } }),
    ),
    read: node('read', ['read', 'tell'], async ({ left: [file, ...left], best }, { goto, ports }) => {
      if (file === undefined) return goto('tell', best);
      const page = await ports.files.read(file);
      const lines = page.kind === 'text' ? page.lines : [];
      const found = lines.map(({ number, text }) => ({ file, line: number, length: text.length }));
      const longest = [best, ...found].reduce((a, b) => (b.length > a.length ? b : a));
      return goto('read', { left, best: longest });
    }),
    tell: node('tell', ['exit'], (best, { exit }) =>
      exit({ data: best, text: `${best.file}:${best.line} has ${best.length} characters` }),
    ),
  }),
});
