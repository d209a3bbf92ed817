import { z } from 'zod';
import { ToolFailure } from '../../kernel/index.js';
import { defineTool } from '../../tool/index.js';
import { foundTool, foundToolData } from './found-tool.js';
import { partOfGate } from './part-of-gate.js';

export default partOfGate(
  defineTool({
    name: 'discovery_get_tool_details',
    title: 'Show a tool',
    description: 'Shows the whole definition of a tool, with the schema of its arguments.',
    effect: 'read',
    needs: ['catalog'],
    input: z.object({ tool_name: z.string().min(1).describe('The name of the tool.') }),
    aliases: { tool_name: ['name', 'tool'] },
    output: foundTool,
    run({ tool_name }, { ports }) {
      const tool = ports.catalog.describe(tool_name);
      if (tool !== undefined) return { data: foundToolData(tool) };
      throw new ToolFailure('not_found', `There is no tool ${tool_name}.`, {
        reason: 'unknown_tool',
        suggestion: 'Find its name with discovery_search_tools.',
      });
    },
  }),
  'named',
);
