import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { serverData, serverInSight, serverText } from './found-tool.js';
import { gatewayTool } from './gateway-tool.js';

const longestMs = 30_000;

export default gatewayTool(
  defineTool({
    name: 'wait_for_servers',
    title: 'Wait for tool servers',
    description:
      'Waits for tool servers to connect and returns the status of each. Use it when tool_search says that servers are still pending.',
    effect: 'read',
    needs: ['catalog'],
    input: z.object({
      servers: z
        .array(z.string())
        .max(100)
        .optional()
        .describe('Names of the servers to wait for. Default: all.'),
      timeout_ms: z
        .int()
        .min(0)
        .max(longestMs)
        .optional()
        .describe('Maximum wait in milliseconds. Default: 5000.'),
    }),
    aliases: { timeout_ms: ['timeout', 'timeoutMs'] },
    output: z.object({
      servers: z
        .array(serverInSight.extend({ waited_ms: z.int().describe('Milliseconds spent waiting for it.') }))
        .describe('The servers and their status.'),
      not_found: z.array(z.string()).describe('Unknown server names.'),
      all_ready: z.boolean().describe('Whether all servers are connected.'),
    }),
    async run({ servers, timeout_ms = 5000 }, { exchange, ports }) {
      const answer = await ports.catalog.wait(servers, timeout_ms, exchange);
      const lines = answer.servers.map(serverText);
      const missing = answer.notFound.length > 0 ? [`Not found: ${answer.notFound.join(', ')}.`] : [];
      const data = {
        servers: answer.servers.map(({ waitedMs, ...server }) => ({
          ...serverData(server),
          waited_ms: waitedMs,
        })),
        not_found: [...answer.notFound],
        all_ready: answer.allReady,
      };
      const head = answer.allReady ? 'All servers are connected.' : 'Not all servers are connected.';
      return { data, text: [head, ...lines, ...missing].join('\n') };
    },
  }),
  'open',
);
