import { printable, printableLines } from '../../config/index.js';
import type { Tidegate } from '../../app/index.js';
import { asOption, type Command, configOption, type Context, textOption, toolsOption } from '../command.js';
import { type ExitCode, exitCodes, type Fault } from '../exit-codes.js';
import { Failure, interrupted } from '../failure.js';
import { shellPath } from '../shell-path.js';
import { argumentsText } from '../tool-arguments.js';
import { resultLines } from '../tool-result.js';
import { argumentsOf } from '../tool-fields.js';
import { findTool, type Tool } from '../tools.js';
import { unknownArgumentLines } from '../unknown-arguments.js';
import { withGate } from '../with-gate.js';

export const toolsCall: Command = {
  name: 'tools call',
  summary: 'Call a tool through the gate, as an agent would.',
  arguments: [
    { name: '<name>', about: 'The name of the tool.' },
    {
      name: '[arguments...]',
      about: 'One JSON object, key=value pairs, or - to read JSON from standard input.',
    },
  ],
  options: [configOption, asOption, toolsOption],
  examples: [
    'tidegate tools call files_read_file path=README.md',
    `tidegate tools call files_read_file '{"path": "README.md"}' --json`,
  ],
  run(given, context) {
    const [name = '', ...words] = given.arguments;
    const as = textOption(given, 'as');
    return withGate(given, context, 'command', async (tidegate) => {
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

/** Who acts for another is refused as that one is: on record, and whether the tool exists is for `explain` to say. */
async function refuse(error: unknown, { tidegate, as, name }: Refusal): Promise<never> {
  if (!(error instanceof Failure) || error.code !== 'tool.not_found') throw error;
  const { callTool } = await import('../../app/index.js');
  // Should it come to be meanwhile, it is not run.
  await callTool(tidegate, name, '{}', AbortSignal.abort());
  throw new Failure('tool.not_found', error.message, `tidegate explain ${as} ${shellPath(name)}`);
}

/** Calls the tool with what was typed after its name, and shows what it gives. */
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
  const { callTool, redactText } = await import('../../app/index.js');
  const outcome = await callTool(tidegate, name, text, signal);
  if (signal.aborted) throw interrupted();
  if (outcome.kind === 'fault') {
    noteDetail(outcome.fault, redactText, context);
    throw failureOf(outcome.fault, tool);
  }
  if (outcome.kind === 'asks') {
    const message = 'This tool asks questions, and a command cannot answer them: call it from an agent.';
    throw new Failure('ask.unsupported', message);
  }
  const { result } = outcome;
  const value = result.value as Parameters<typeof resultLines>[0];
  output.jsonText(result.text);
  for (const line of resultLines(value)) output.line(line);
  if (isInBackground(value.structuredContent)) {
    output.note('The command ended with this one: it runs in the background only as long as its gate does.');
  }
  if (value.isError !== true) return exitCodes.ok;
  output.note(`The tool answered that it failed. What it takes: tidegate tools show ${printable(name)}`);
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

/** What agents are never told: this terminal is the operator's own. */
function noteDetail({ detail = '' }: Fault, redact: (text: string) => string, { output }: Context): void {
  if (detail !== '') output.note(`detail: ${printable(redact(detail).slice(0, longestDetail))}`);
}

function failureOf(fault: Fault, { name, source }: Tool): Failure {
  const upstream = fault.upstream === undefined ? '' : ` ${printable(upstreamMessage(fault.upstream.value))}`;
  // What the tool itself advises is nearer to the case than any command of ours; but whoever is told to ask the operator is
  // the operator here.
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

/** A plugin is no server of the configuration: it is looked at by its own command. */
function pluginNext({ code }: Fault, source: string): string | undefined {
  if (!source.startsWith('plugin:') || !code.startsWith('provider.')) return undefined;
  return `tidegate plugin show ${printable(source.slice('plugin:'.length))}`;
}

function upstreamMessage(error: unknown): string {
  const isTold = typeof error === 'object' && error !== null && 'message' in error;
  return isTold && typeof error.message === 'string' ? error.message : '';
}
