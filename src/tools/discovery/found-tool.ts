import { z } from 'zod';
import type { FoundTool, ServerInSight, SurfaceMode } from '../../kernel/index.js';

/** A tool in an answer: what a model must know to call it. */
export const foundTool = z.object({
  name: z.string().describe('The name to call it by.'),
  server: z.string().describe('Where it comes from.'),
  title: z.string().optional().describe('Its title.'),
  description: z.string().describe('What it does, in the words of its author.'),
  input_schema: z.record(z.string(), z.unknown()).describe('The JSON Schema of its arguments.'),
  annotations: z.record(z.string(), z.unknown()).optional().describe('Hints of its author.'),
  state: z
    .enum(['activated', 'already_active', 'always_active', 'not_activated'])
    .describe('Whether it is available now. not_activated: there was no room, call it with call_tool.'),
  score: z.number().optional().describe('How well it fits, within this answer.'),
  confidence: z.enum(['high', 'medium', 'low']).optional().describe('How sure the search is.'),
});

/** A server in an answer. */
export const serverInSight = z.object({
  name: z.string().describe('Its name.'),
  status: z.enum(['connected', 'pending', 'failed', 'needs_auth', 'disabled']).describe('How it is doing.'),
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

/** One tool for those who read only text. */
export function toolText(
  { name, server, description, inputSchema, state }: FoundTool,
  mode: SurfaceMode,
): string {
  const note = state === 'not_activated' && mode === 'list' ? ', not activated: call it with call_tool' : '';
  return `${onOneLine(name)} (${onOneLine(server)}${note})\n${description}\nSchema: ${JSON.stringify(inputSchema)}`;
}

export function serverText({ name, status, digest, errorCode }: ServerInSight): string {
  const state = status === 'connected' ? '' : ` [${status}${errorCode === undefined ? '' : ` ${errorCode}`}]`;
  return `- ${name}${state}${digest === '' ? '' : `: ${digest}`}`;
}

/** A name may hold anything; what is shown of it may not look like anything else. */
function onOneLine(name: string): string {
  return name.replace(/[\p{C}\s]+/gu, ' ').slice(0, 200);
}
