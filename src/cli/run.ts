import type { CommanderError } from 'commander';
import { codeOf } from '../lib/error-code.js';
import type { Context } from './command.js';
import { commands } from './commands/index.js';
import { exitCodes } from './exit-codes.js';
import type { CommandCode } from './command-codes.js';
import { Failure } from './failure.js';
import { nearest } from '../config/index.js';
import { didYouMean } from './nearest-name.js';
import { type Chosen, createProgram, knownNames, knownOptions } from './program.js';
import { runCommand, shown } from './run-command.js';
import { longestLine } from './terminal/wrap.js';

/** Parses and runs a command line, and returns the exit status. */
export async function run(
  words: readonly string[],
  context: Context,
  write: (text: string) => void,
): Promise<number> {
  let chosen: Chosen | undefined;
  const program = createProgram(
    context.version,
    (found) => {
      chosen = found;
    },
    { write, width: () => Math.min(context.output.width, longestLine) },
  );
  try {
    program.parse(helpLast(words), { from: 'user' });
  } catch (error) {
    if (!isCommanderError(error)) throw error;
    if (error.exitCode === 0) return exitCodes.ok;
    // The command was incomplete, so commander has printed help.
    if (error.code === 'commander.help') return exitCodes.usage;
    return shown(usageFailure(error, words), context);
  }
  return chosen === undefined ? exitCodes.usage : runCommand(chosen.command, chosen.given, context);
}

/** `help tools list` is `tools list --help`. */
function helpLast(words: readonly string[]): readonly string[] {
  return words[0] === 'help' ? [...words.slice(1), '--help'] : words;
}

function isCommanderError(error: unknown): error is CommanderError {
  return String(codeOf(error)).startsWith('commander.');
}

function usageFailure(error: CommanderError, words: readonly string[]): Failure {
  // The value of a misspelled option may be a token.
  const message = error.message.replace(/^error: /, '').replace(/('--?[\w-]+)=[^]*'/, "$1'");
  const subject = /'([^']*)'/.exec(message)?.[1] ?? '';
  const code = codes[error.code] ?? 'usage.bad_value';
  const near = suggestionText(code, subject, words);
  const hint = near === '' && isOfArguments(code) ? exampleText(words) : near;
  const meant = code === 'usage.unknown_command' ? meantCommand(subject, words) : undefined;
  return new Failure(
    code,
    `${sentence(message)}${hint}`,
    `tidegate ${meant ?? `${helpTarget(words)}--help`}`,
  );
}

/** The corrected command, or its help if it needs arguments. */
function meantCommand(wrong: string, words: readonly string[]): string | undefined {
  const near = nearest(wrong, knownNames(words));
  if (near === undefined) return undefined;
  const [first = '', second = ''] = words.map((word) => (word === wrong ? near : word));
  const found =
    commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first);
  const isEnough = found !== undefined && !found.arguments?.some(({ name }) => name.startsWith('<'));
  return isEnough ? found.name : `${found?.name ?? first} --help`;
}

/** Suggests a similar name for an unknown word. */
function suggestionText(code: CommandCode, subject: string, words: readonly string[]): string {
  if (code === 'usage.unknown_command') return didYouMean(subject, knownNames(words));
  if (code === 'usage.unknown_option') return didYouMean(subject, knownOptions(words));
  // For a command with subcommands, a misspelled subcommand looks like an argument.
  const [first = '', second = ''] = words;
  const below = knownNames([first]);
  const isBelow = below.includes(first) || below.includes(second);
  return code === 'usage.excess_arguments' && !isBelow ? didYouMean(second, below) : '';
}

function isOfArguments(code: CommandCode): boolean {
  return code === 'usage.missing_argument' || code === 'usage.excess_arguments';
}

/** An example of the command. */
function exampleText(words: readonly string[]): string {
  const [first = '', second = ''] = words;
  const found =
    commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first);
  const [example] = found?.examples ?? [];
  return example === undefined ? '' : ` For example: ${example}`;
}

/** Commander's error codes and ours. */
const codes: Readonly<Record<string, CommandCode>> = {
  'commander.unknownCommand': 'usage.unknown_command',
  'commander.unknownOption': 'usage.unknown_option',
  'commander.missingArgument': 'usage.missing_argument',
  'commander.optionMissingArgument': 'usage.missing_argument',
  'commander.excessArguments': 'usage.excess_arguments',
};

function sentence(text: string): string {
  const [first = ''] = text.split('\n');
  return `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, '')}.`;
}

/** The command to show help for. */
function helpTarget(words: readonly string[]): string {
  const known = knownNames([]);
  const [first = '', second = ''] = words;
  if (!known.includes(first)) return '';
  const isGroup = knownNames([first]) !== known && knownNames([first]).includes(second);
  return isGroup ? `${first} ${second} ` : `${first} `;
}
