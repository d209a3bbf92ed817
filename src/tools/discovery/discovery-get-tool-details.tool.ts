import { z } from 'zod';
import { ToolFailure } from '../../core/index.js';
import { defineTool } from '../../tool/index.js';
import { foundTool, foundToolData } from './found-tool.js';
import { gatewayTool } from './gateway-tool.js';

export default gatewayTool(
  defineTool({
    name: 'discovery_get_tool_details',
    title: 'Get tool details',
    description: 'Returns the full definition of a tool, including its input schema.',
    effect: 'read',
    needs: ['catalog'],
    input: z.object({ tool_name: z.string().min(1).describe('Tool name.') }),
    aliases: { tool_name: ['name', 'tool'] },
    output: foundTool,
    run({ tool_name }, { ports }) {
      const tool = ports.catalog.describe(tool_name);
      if (tool !== undefined) return { data: foundToolData(tool) };
      throw new ToolFailure('not_found', `Unknown tool: ${tool_name}.`, {
        reason: 'unknown_tool',
        suggestion: 'Find the right name with discovery_search_tools.',
      });
    },
  }),
  'named',
);
