import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { join } from 'node:path';
import { type Place, program } from './gate.js';

export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

/** An agent at `tidegate mcp`, over the official client. */
export interface StdioAgent {
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Answer>;
  tools(): Promise<readonly string[]>;
  /** What the gateway wrote to stderr. */
  said(): string;
  close(): Promise<void>;
}

/** `program`: another copy of Tidegate than the built one. */
export async function openStdioAgent(
  place: Place & { readonly program?: string },
  ...args: readonly string[]
): Promise<StdioAgent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [place.program ?? program, 'mcp', '--config', place.configFile, ...args],
    cwd: join(place.directory, 'workspace'),
    env: { ...place.env },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (part: Buffer) => (said += part.toString()));
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await client.connect(transport);
  return {
    async call(name, given = {}) {
      const result = await client.callTool({ name, arguments: { ...given } });
      const content = result.content as readonly { readonly text?: string }[];
      return {
        isError: result.isError === true,
        text: content.map(({ text }) => text ?? '').join(''),
        structured: (result.structuredContent ?? {}) as Readonly<Record<string, unknown>>,
      };
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    said: () => said,
    close: () => client.close(),
  };
}
