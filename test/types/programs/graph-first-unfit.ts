import { defineGraph, payload, z } from '../../../src/tool/index.js';

export const graph = defineGraph({
  name: 'walk',
  title: 'Walk',
  description: 'Walks.',
  effect: 'read',
  input: z.object({ n: z.int().describe('How far.') }),
  payloads: { go: payload<{ n: number }>(), rest: payload<{ tired: boolean }>() },
  first: 'rest', // wrong: the input does not fit that node
  // right: first: 'go',
  nodes: (node) => ({
    go: node('go', ['rest'], ({ n }, { goto }) => goto('rest', { tired: n > 9 })),
    rest: node('rest', ['exit'], ({ tired }, { exit }) => exit(String(tired))),
  }),
});
