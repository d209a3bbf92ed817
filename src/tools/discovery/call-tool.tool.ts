import { z } from 'zod';
import { ToolFailure } from '../../kernel/index.js';
import { defineTool } from '../../tool/index.js';
import { partOfGate } from './part-of-gate.js';

/** Its calls never come here: the gate makes them under the name of the real tool. What comes is what it does not call. */
export default partOfGate(
  defineTool({
    name: 'call_tool',
    title: 'Call a tool that was found',
    description:
      'Calls a tool that tool_search found and that is not in your list. The result is that of the tool itself. Give its arguments as its schema says.',
    effect: 'execute',
    tier: 1,
    needs: ['catalog'],
    input: z.object({
      name: z.string().min(1).describe('The name of the tool, as tool_search gave it.'),
      arguments: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('The arguments of the tool; none if left out.'),
    }),
    aliases: {
      name: ['tool', 'tool_name', 'toolName'],
      arguments: ['args', 'input', 'parameters', 'params'],
    },
    run({ name }) {
      throw new ToolFailure('unsupported', `call_tool does not call ${name}.`, {
        reason: 'not_through_bridge',
        suggestion: `Call ${name} directly.`,
      });
    },
  }),
  'open',
);
