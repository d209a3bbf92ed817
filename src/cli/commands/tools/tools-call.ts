import { printable, printableLines, shellWord } from '../../../config/index.js';
import type { Tidegate } from '../../../app/index.js';
import {
  asOption,
  type Command,
  configOption,
  type Context,
  textOption,
  toolsOption,
} from '../../command.js';
import { type ExitCode, exitCodes, type Fault } from '../../exit-codes.js';
import { Failure, interrupted } from '../../failure.js';
import { argumentsText } from './tool-arguments.js';
import { resultLines } from './tool-result.js';
import { argumentsOf } from './tool-fields.js';
import { findTool, type Tool } from './with-tools.js';
import { unknownArgumentLines } from './unknown-arguments.js';
import { withGateway } from '../../with-gateway.js';

export const toolsCall: Command = {
  name: 'tools call',
  summary: 'Call a tool through Tidegate, as an agent would.',
  arguments: [
    { name: '<name>', about: 'Name of the tool.' },
    {
      name: '[arguments...]',
      about: 'One JSON object, key=value pairs, or - to read JSON from standard input.',
    },
  ],
  options: [configOption, asOption, toolsOption],
  examples: [
    'tidegate tools call Read file_path=README.md',
    `tidegate tools call Read '{"file_path": "README.md"}' --json`,
  ],
  run(given, context) {
    const [name = '', ...words] = given.arguments;
    const as = textOption(given, 'as');
    return withGateway(given, context, 'command', async (tidegate) => {
      const found = findTool(tidegate, name, context);
      const tool =
        as === undefined
          ? await found
          : await found.catch((error: unknown) => refuse(error, { tidegate, as, name }));
      return callTyped(tidegate, tool, words, context);
    });
  },
};

interface Refusal {
  readonly tidegate: Tidegate;
  readonly as: string;
  readonly name: string;
}

/** With `--as`, records the denial like a call by that principal. Only `explain` says whether the tool exists. */
async function refuse(error: unknown, { tidegate, as, name }: Refusal): Promise<never> {
  if (!(error instanceof Failure) || error.code !== 'tool.not_found') throw error;
  const { callTool } = await import('../../../app/index.js');
  // Aborted in advance, so the tool does not run even if it appears meanwhile.
  await callTool(tidegate, name, '{}', AbortSignal.abort());
  throw new Failure('tool.not_found', error.message, `tidegate explain ${as} ${shellWord(name)}`);
}

/** Calls the tool with the arguments from the command line, and prints the result. */
export async function callTyped(
  tidegate: Tidegate,
  tool: Tool,
  words: readonly string[],
  context: Context,
): Promise<ExitCode> {
  const text = await argumentsText(words, { name: tool.name, fields: argumentsOf(tool) }, context.input);
  for (const line of unknownArgumentLines(tool, text)) context.output.note(line);
  return call(tidegate, tool, text, context);
}

async function call(tidegate: Tidegate, tool: Tool, text: string, context: Context): Promise<ExitCode> {
  const { name } = tool;
  const { output, signal } = context;
  const { callTool, redactText } = await import('../../../app/index.js');
  const outcome = await callTool(tidegate, name, text, signal);
  if (signal.aborted) throw interrupted();
  if (outcome.kind === 'fault') {
    noteDetail(outcome.fault, redactText, context);
    throw failureOf(outcome.fault, tool);
  }
  if (outcome.kind === 'asks') {
    const message = 'This tool asks for input, which a command cannot provide. Call it from an agent.';
    throw new Failure('ask.unsupported', message);
  }
  const { result } = outcome;
  const value = result.value as Parameters<typeof resultLines>[0];
  output.jsonText(result.text);
  for (const line of resultLines(value)) output.line(line);
  if (isInBackground(value.structuredContent)) {
    output.note(
      'The background command was stopped because it runs only as long as the process that started it.',
    );
  }
  if (value.isError !== true) return exitCodes.ok;
  output.note(`The tool reported an error. To see its arguments: tidegate tools show ${shellWord(name)}`);
  return exitCodes.toolError;
}

function isInBackground(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'background_id' in data;
}

const nextOf: Partial<Record<Fault['code'], string>> = {
  'tool.not_found': 'tidegate tools list',
  'input.invalid': 'tidegate tools show <name>',
  'need.unavailable': 'tidegate doctor',
  'provider.untrusted': 'tidegate trust',
  'provider.login': 'tidegate servers',
  'provider.unavailable': 'tidegate servers',
  'provider.starting': 'tidegate servers',
  'provider.lost': 'tidegate servers',
};

const longestDetail = 500;

/** Details are for the operator only; agents never see them. */
function noteDetail({ detail = '' }: Fault, redact: (text: string) => string, { output }: Context): void {
  if (detail !== '') output.note(`detail: ${printable(redact(detail).slice(0, longestDetail))}`);
}

function failureOf(fault: Fault, { name, source }: Tool): Failure {
  const upstream = fault.upstream === undefined ? '' : ` ${printable(upstreamMessage(fault.upstream.value))}`;
  // The tool's own suggestion fits best, except "ask the operator": that is the person at this terminal.
  const advice =
    fault.suggestion === undefined || fault.code === 'need.unavailable'
      ? undefined
      : printable(fault.suggestion);
  return new Failure(
    fault.code,
    `${printableLines(fault.message)}${upstream}`,
    pluginNext(fault, source) ?? advice ?? nextOf[fault.code]?.replace('<name>', name),
  );
}

/** Plugins are not listed by `tidegate servers`, so point to `plugin show`. */
function pluginNext({ code }: Fault, source: string): string | undefined {
  if (!source.startsWith('plugin:') || !code.startsWith('provider.')) return undefined;
  return `tidegate plugin show ${shellWord(source.slice('plugin:'.length))}`;
}

function upstreamMessage(error: unknown): string {
  const isTold = typeof error === 'object' && error !== null && 'message' in error;
  return isTold && typeof error.message === 'string' ? error.message : '';
}
