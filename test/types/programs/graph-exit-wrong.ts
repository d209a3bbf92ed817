import { defineGraph, payload, z } from '../../../src/tool/index.js';

export const graph = defineGraph({
  name: 'walk',
  title: 'Walk',
  description: 'Walks.',
  effect: 'read',
  input: z.object({ n: z.int().describe('How far.') }),
  payloads: { go: payload<{ n: number }>(), rest: payload<{ tired: boolean }>() },
  first: 'go',
  output: z.object({ far: z.int().describe('How far.') }),
  nodes: (node) => ({
    go: node('go', ['exit'], ({ n }, { exit }) => exit({ data: { fra: n } })), // wrong: the result has its schema's members
    // right: go: node('go', ['exit'], ({ n }, { exit }) => exit({ data: { far: n } })),
    rest: node('rest', ['exit'], (_payload, { exit }) => exit({ data: { far: 0 } })),
  }),
});
