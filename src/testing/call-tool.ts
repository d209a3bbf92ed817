import {
  cardOf,
  type ContentBlock,
  decodeArguments,
  type Exchange,
  type SchemaIssue,
  type Session,
  type ToolModule,
  type ToolPorts,
} from '../kernel/index.js';
import { createFakeExchange } from './fake-exchange.js';

export interface CallParts {
  /** Fakes, or the real thing: exactly what the tool named in `needs`, and what it should find in `optional`. */
  readonly ports?: Partial<ToolPorts>;
  readonly exchange?: Exchange;
  readonly session?: Session;
}

/** What came of a call, as an agent would get it. */
export interface Called {
  /** What the output schema made of the data; undefined for a tool that has none. */
  readonly data: unknown;
  readonly text: string;
  readonly content: readonly ContentBlock[];
}

const tester: Session = {
  id: 'test',
  scope: 'connection',
  principal: { kind: 'user', id: 'tester', zone: 'local' },
};

/** Calls a tool as the gate does: arguments are read and checked, the result too. What the tool throws comes out. */
export async function callTool(tool: ToolModule, args: unknown, parts: CallParts = {}): Promise<Called> {
  const { ports = {}, exchange = createFakeExchange(), session = tester } = parts;
  const missing = (tool.needs ?? []).filter((need) => ports[need] === undefined);
  if (missing.length > 0)
    throw new Error(`${tool.name} needs ${missing.join(', ')}: hand it in as \`ports\``);
  const input = await tool.input['~standard'].validate(decodeArguments(args, cardOf(tool)));
  if (input.issues) throw new Error(`arguments: ${wordsOf(input.issues)}`);
  // The schema of this very tool made the input, and the ports that it needs are there.
  const result = await tool.run(input.value as never, { exchange, session, ports: ports as ToolPorts });
  if (typeof result === 'string') return { data: undefined, text: result, content: [textBlock(result)] };
  if (!('data' in result)) return { data: undefined, text: textOf(result.content), content: result.content };
  const output = await tool.output?.['~standard'].validate(result.data);
  if (output === undefined) throw new Error(`${tool.name} gave data, but has no output schema`);
  if (output.issues) throw new Error(`data: ${wordsOf(output.issues)}`);
  const { text = JSON.stringify(output.value), content = [] } = result;
  return { data: output.value, text, content: [textBlock(text), ...content] };
}

function wordsOf(issues: readonly SchemaIssue[]): string {
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
