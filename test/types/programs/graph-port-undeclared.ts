import { defineGraph, payload, z } from '../../../src/tool/index.js';

export const graph = defineGraph({
  name: 'walk',
  title: 'Walk',
  description: 'Walks.',
  effect: 'read',
  input: z.object({ n: z.int().describe('How far.') }),
  payloads: { go: payload<{ n: number }>(), rest: payload<{ tired: boolean }>() },
  first: 'go',
  needs: ['files'],
  nodes: (node) => ({
    go: node('go', ['exit'], (_payload, { exit, ports }) => exit(ports.shell.roots.join())), // wrong: it named another port
    // right: go: node('go', ['exit'], (_payload, { exit, ports }) => exit(ports.files.roots.join())),
    rest: node('rest', ['exit'], ({ tired }, { exit }) => exit(String(tired))),
  }),
});
