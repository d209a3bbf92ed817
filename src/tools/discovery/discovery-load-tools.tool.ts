import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { foundTool, foundToolData } from './found-tool.js';
import { gatewayTool } from './gateway-tool.js';
import { searchText } from './search-text.js';

export default gatewayTool(
  defineTool({
    name: 'discovery_load_tools',
    title: 'Load tools',
    description: 'Makes tools available by name and returns their definitions. Unknown names are rejected.',
    effect: 'read',
    needs: ['catalog'],
    input: z.object({
      tool_names: z.array(z.string().min(1)).min(1).max(25).describe('Tool names.'),
    }),
    aliases: { tool_names: ['names', 'tools'] },
    output: z.object({
      loaded: z.array(foundTool).describe('Tools that are now available.'),
      rejected: z.array(z.string()).describe('Unknown tool names.'),
      next: z.string().describe('What to do next.'),
    }),
    async run({ tool_names }, { exchange, ports }) {
      const query = `select:${tool_names.join(',')}`;
      const answer = await ports.catalog.search({ query, maxResults: 25, activate: true }, exchange);
      const { next } = searchText(answer);
      return { data: { loaded: answer.matches.map(foundToolData), rejected: [...answer.notFound], next } };
    },
  }),
  'named',
);
