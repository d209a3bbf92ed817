import { defineGraph, payload, z } from '../../../src/tool/index.js';

export const graph = defineGraph({
  name: 'walk',
  title: 'Walk',
  description: 'Walks.',
  effect: 'read',
  input: z.object({ n: z.int().describe('How far.') }),
  payloads: { go: payload<{ n: number }>(), rest: payload<{ tired: boolean }>() },
  first: 'go',
  nodes: (node) => ({ go: node('go', ['rest'], ({ n }, { goto }) => goto('rest', { tired: n > 9 })) }), // wrong: rest is missing
  // right: nodes: (node) => ({ go: node('go', ['exit'], (_p, { exit }) => exit('')), rest: node('rest', ['exit'], (_p, { exit }) => exit('')) }),
});
