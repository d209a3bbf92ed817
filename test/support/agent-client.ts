import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { join } from 'node:path';
import { type Place, program } from './gate.js';

/** An official client that speaks to `tidegate mcp` as one principal; without a name, as the operator. */
export interface AgentClient {
  /** The whole answer as text. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  close(): Promise<void>;
}

export async function openAgentClient(
  place: Place,
  as: string | undefined,
  env: Readonly<Record<string, string>> = {},
  /** More options of `tidegate mcp`. */
  more: readonly string[] = [],
): Promise<AgentClient> {
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const principal = as === undefined ? [] : ['--as', as];
  const config = more.includes('--config') ? [] : ['--config', place.configFile];
  const args = [program, 'mcp', ...config, ...principal, ...more];
  const cwd = join(place.directory, 'workspace');
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args,
      cwd,
      env: { ...place.env, ...env },
      stderr: 'ignore',
    }),
  );
  return {
    call: async (name, given) => JSON.stringify(await client.callTool({ name, arguments: given })),
    close: () => client.close(),
  };
}
