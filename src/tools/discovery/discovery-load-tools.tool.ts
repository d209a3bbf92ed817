import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { foundTool, foundToolData } from './found-tool.js';
import { partOfGate } from './part-of-gate.js';

export default partOfGate(
  defineTool({
    name: 'discovery_load_tools',
    title: 'Make tools available',
    description:
      'Makes tools available by their names and returns their definitions. Names that do not exist are rejected.',
    effect: 'read',
    needs: ['catalog'],
    input: z.object({
      tool_names: z.array(z.string().min(1)).min(1).max(25).describe('The names of the tools.'),
    }),
    aliases: { tool_names: ['names', 'tools'] },
    output: z.object({
      loaded: z.array(foundTool).describe('The tools, available now.'),
      rejected: z.array(z.string()).describe('Names that do not exist.'),
    }),
    async run({ tool_names }, { exchange, ports }) {
      const query = `select:${tool_names.join(',')}`;
      const answer = await ports.catalog.search({ query, maxResults: 25, activate: true }, exchange);
      return { data: { loaded: answer.matches.map(foundToolData), rejected: [...answer.notFound] } };
    },
  }),
  'named',
);
