import { z } from 'zod';
import { ToolFailure } from '../../core/index.js';
import { defineTool } from '../../tool/index.js';
import { gatewayTool } from './gateway-tool.js';

/** The gateway turns these calls into calls of the real tool. Only those that it cannot turn into one reach `run`. */
export default gatewayTool(
  defineTool({
    name: 'call_tool',
    title: 'Call a tool found by search',
    description:
      "Calls a tool that tool_search found but that is not in your list, and returns that tool's result. Pass arguments that match its schema.",
    effect: 'execute',
    tier: 1,
    needs: ['catalog'],
    input: z.object({
      name: z.string().min(1).describe('Tool name as returned by tool_search.'),
      arguments: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('Arguments for the tool. Default: none.'),
    }),
    aliases: {
      name: ['tool', 'tool_name', 'toolName'],
      arguments: ['args', 'input', 'parameters', 'params'],
    },
    run({ name }) {
      throw new ToolFailure('unsupported', `call_tool can't call ${name}.`, {
        reason: 'not_through_call_tool',
        suggestion: `Call ${name} directly.`,
      });
    },
  }),
  'open',
);
