import { defineGraph, payload, z } from '../../../src/tool/index.js';

export const graph = defineGraph({
  name: 'walk',
  title: 'Walk',
  description: 'Walks.',
  effect: 'read',
  input: z.object({ n: z.int().describe('How far.') }),
  payloads: { go: payload<{ n: number }>(), rest: payload<{ tired: boolean }>() },
  first: 'go',
  nodes: (node) => ({
    go: node('go', ['rest'], (_payload, { exit }) => exit('done')), // wrong: it never said that it may exit
    // right: go: node('go', ['exit'], (_payload, { exit }) => exit('done')),
    rest: node('rest', ['exit'], ({ tired }, { exit }) => exit(String(tired))),
  }),
});
