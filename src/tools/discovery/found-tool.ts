import { z } from 'zod';
import type { FoundTool, ServerInSight, ExposureMode } from '../../ports/catalog.js';

/** A tool in a search result: everything a model needs to call it. */
export const foundTool = z.object({
  name: z.string().describe('Tool name.'),
  server: z.string().describe('The server it comes from.'),
  title: z.string().optional().describe('Its title.'),
  description: z.string().describe('What it does, according to its author.'),
  input_schema: z.record(z.string(), z.unknown()).describe('JSON Schema of its arguments.'),
  annotations: z.record(z.string(), z.unknown()).optional().describe('Hints from its author.'),
  state: z
    .enum(['activated', 'already_active', 'always_active', 'not_activated'])
    .describe('Whether it is available. not_activated: there was no room, use call_tool.'),
  score: z.number().optional().describe('Relevance within this result.'),
  confidence: z.enum(['high', 'medium', 'low']).optional().describe('Confidence in the match.'),
});

export const serverInSight = z.object({
  name: z.string().describe('Server name.'),
  status: z.enum(['connected', 'pending', 'failed', 'needs_auth', 'disabled']).describe('Its state.'),
  tools: z.int().describe('How many of its tools you can use.'),
  digest: z.string().describe('What its tools are about.'),
  error_code: z.string().optional().describe('Why it failed.'),
});

export function foundToolData(tool: FoundTool): z.input<typeof foundTool> {
  const { inputSchema, ...same } = tool;
  return { ...same, input_schema: { ...inputSchema } };
}

export function serverData({ errorCode, ...server }: ServerInSight): z.input<typeof serverInSight> {
  return { ...server, ...(errorCode !== undefined && { error_code: errorCode }) };
}

/** A tool as text, for clients that ignore structured content. */
export function toolText(
  { name, server, description, inputSchema, state }: FoundTool,
  mode: ExposureMode,
): string {
  const note = state === 'not_activated' && mode === 'list' ? ', not activated: use call_tool' : '';
  return `${onOneLine(name)} (${onOneLine(server)}${note})\n${description}\nSchema: ${JSON.stringify(inputSchema)}`;
}

export function serverText({ name, status, digest, errorCode }: ServerInSight): string {
  const state = status === 'connected' ? '' : ` [${status}${errorCode === undefined ? '' : ` ${errorCode}`}]`;
  return `- ${name}${state}${digest === '' ? '' : `: ${digest}`}`;
}

/** Names are untrusted: a line break in one could fake another line of the result. */
function onOneLine(name: string): string {
  return name.replace(/[\p{C}\s]+/gu, ' ').slice(0, 200);
}
