import { cardOf, clientAdditions, type Exchange, type SchemaIssue, type Session } from '../core/index.js';
import { decodeArguments } from '../lib/decode-arguments.js';
import type { ContentBlock, ToolModule } from '../ports/tool-module.js';
import type { ToolPorts } from '../ports/tool-ports.js';
import { createFakeExchange } from './fake-exchange.js';

export interface CallParts {
  /** Fakes or real services: everything in `needs`, and any of `optional` that should be present. */
  readonly ports?: Partial<ToolPorts>;
  readonly exchange?: Exchange;
  readonly session?: Session;
}

/** The result of a call, as an agent would get it. */
export interface Called {
  /** Data after the output schema; undefined for a tool without one. */
  readonly data: unknown;
  readonly text: string;
  readonly content: readonly ContentBlock[];
}

const tester: Session = {
  id: 'test',
  scope: 'connection',
  principal: { kind: 'user', id: 'tester', zone: 'local' },
};

/** Calls a tool like the gateway does: arguments and result are validated. Errors from the tool are rethrown. */
export async function callTool(tool: ToolModule, args: unknown, parts: CallParts = {}): Promise<Called> {
  const { ports = {}, exchange = createFakeExchange(), session = tester } = parts;
  const missing = (tool.needs ?? []).filter((need) => ports[need] === undefined);
  if (missing.length > 0) throw new Error(`${tool.name} needs ${missing.join(', ')}: pass it in \`ports\``);
  const input = await tool.input['~standard'].validate(
    decodeArguments(args, cardOf(tool), clientAdditions).input,
  );
  if (input.issues) throw new Error(`arguments: ${describeIssues(input.issues)}`);
  // The input matches the schema of this tool, and the required ports are present.
  const result = await tool.run(input.value as never, { exchange, session, ports: ports as ToolPorts });
  if (typeof result === 'string') return { data: undefined, text: result, content: [textBlock(result)] };
  if (!('data' in result)) return { data: undefined, text: textOf(result.content), content: result.content };
  const output = await tool.output?.['~standard'].validate(result.data);
  if (output === undefined) throw new Error(`${tool.name} returned data but has no output schema`);
  if (output.issues) throw new Error(`data: ${describeIssues(output.issues)}`);
  const { text = JSON.stringify(output.value), content = [] } = result;
  return { data: output.value, text, content: [textBlock(text), ...content] };
}

function describeIssues(issues: readonly SchemaIssue[]): string {
  return issues
    .map(({ message, path = [] }) => {
      const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('/');
      return place === '' ? message : `${place}: ${message}`;
    })
    .join('; ');
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}
