import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { gatewayTool } from './gateway-tool.js';

export default gatewayTool(
  defineTool({
    name: 'discovery_search_tools',
    title: 'Search tools',
    description:
      'Searches the tools you can use and returns the names and descriptions of the best matches. To make them available, use discovery_load_tools.',
    effect: 'read',
    needs: ['catalog'],
    input: z.object({
      query: z.string().max(2000).describe('What you need, in plain words.'),
      top_k: z.int().min(1).max(25).optional().describe('How many tools to return. Default: 5.'),
    }),
    output: z.object({
      tools: z
        .array(
          z.object({
            name: z.string().describe('Tool name.'),
            server: z.string().describe('The server it comes from.'),
            description: z.string().describe('What it does.'),
            score: z.number().optional().describe('Relevance within this result.'),
          }),
        )
        .describe('The tools, best first.'),
      total: z.int().describe('Number of matching tools.'),
    }),
    async run({ query, top_k = 5 }, { exchange, ports }) {
      const answer = await ports.catalog.search({ query, maxResults: top_k, activate: false }, exchange);
      const tools = answer.matches.map(({ name, server, description, score }) => ({
        name,
        server,
        description,
        ...(score !== undefined && { score }),
      }));
      return { data: { tools, total: answer.totalMatches } };
    },
  }),
  'named',
);
