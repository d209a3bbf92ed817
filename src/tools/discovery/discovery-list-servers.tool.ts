import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { serverData, serverInSight } from './found-tool.js';
import { gatewayTool } from './gateway-tool.js';

export default gatewayTool(
  defineTool({
    name: 'discovery_list_servers',
    title: 'List tool servers',
    description: 'Lists the servers that have tools you can use.',
    effect: 'read',
    needs: ['catalog'],
    input: z.object({}),
    output: z.object({ servers: z.array(serverInSight).describe('The servers.') }),
    async run(_input, { ports }) {
      const servers = await ports.catalog.servers();
      return { data: { servers: servers.map(serverData) } };
    },
  }),
  'named',
);
