import { Command as Commander } from 'commander';
import type { Command, Given } from './command.js';
import { commands } from './commands/index.js';
import { exitCodes, exitMeanings } from './exit-codes.js';
import { groups } from './groups.js';

/** What a parsed command line asks for. */
export interface Chosen {
  readonly command: Command;
  readonly given: Given;
}

/** The command line as commander understands it, made from the list of commands. */
export function createProgram(
  version: string,
  choose: (chosen: Chosen) => void,
  write: (text: string) => void,
): Commander {
  const program = configured(new Commander('tidegate'), write);
  program.description('One gate between AI agents and every tool they use.');
  program.version(version, '-V, --version', 'Print the version.');
  program.addHelpText(
    'after',
    `\nExample:\n  tidegate tools list\n\nExit status:\n${exitLines().join('\n')}\n`,
  );
  for (const command of commands) addCommand(program, command, choose, write);
  return program;
}

function exitLines(): string[] {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  return names.map((name) => `  ${String(exitCodes[name]).padEnd(4)} ${exitMeanings[name]}`);
}

function addCommand(
  program: Commander,
  command: Command,
  choose: (chosen: Chosen) => void,
  write: (text: string) => void,
): void {
  const words = command.name.split(' ');
  const [last = ''] = words.slice(-1);
  const parent = words.length === 1 ? program : groupOf(program, words[0] ?? '', write);
  const made = configured(parent.command(last), write).description(command.summary);
  for (const { name, about } of command.arguments ?? []) made.argument(name, about);
  for (const { name, value, about, short, isRepeated } of command.options ?? []) {
    const flags = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
    if (isRepeated === true) made.option(flags, about, collected, []);
    else made.option(flags, about);
  }
  made.option('--json', 'Print the result as JSON.');
  made.addHelpText('after', `\nExample:\n${command.examples.map((example) => `  ${example}`).join('\n')}\n`);
  made.action(() => {
    choose({
      command,
      given: { arguments: made.args, options: optionsOf(command, made), lists: listsOf(command, made) },
    });
  });
}

/** By the names of the table. The parser has its own spelling for names of several words, and for those with `no`. */
function optionsOf(command: Command, made: Commander): Given['options'] {
  const values: Readonly<Record<string, unknown>> = made.opts();
  const known = [...(command.options ?? []).map(({ name }) => name), 'json'].map((name) => {
    const isNegation = name.startsWith('no-');
    const value = values[camelCase(isNegation ? name.slice('no-'.length) : name)];
    if (isNegation) return [name, value === false ? true : undefined] as const;
    return [name, typeof value === 'string' || value === true ? value : undefined] as const;
  });
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}

function collected(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function listsOf(command: Command, made: Commander): NonNullable<Given['lists']> {
  const values: Readonly<Record<string, unknown>> = made.opts();
  const repeated = (command.options ?? []).filter(({ isRepeated }) => isRepeated === true);
  return Object.fromEntries(
    repeated.map(({ name }) => [name, values[camelCase(name)] as readonly string[]] as const),
  );
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function groupOf(program: Commander, name: string, write: (text: string) => void): Commander {
  const known = program.commands.find((command) => command.name() === name);
  if (known !== undefined) return known;
  return configured(program.command(name), write).description(groups[name] ?? '');
}

/** Nothing is printed to the process and nothing exits: both are decided in one place. */
function configured(command: Commander, write: (text: string) => void): Commander {
  return command
    .exitOverride()
    .helpCommand(false)
    .allowExcessArguments(false)
    .showSuggestionAfterError(false)
    .helpOption('-h, --help', 'Print this help.')
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => undefined });
}

/** The options that could have been meant where one was not known, as they are typed. */
export function knownOptions(words: readonly string[]): readonly string[] {
  const [first = '', second = ''] = words;
  const command =
    commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first);
  return [...(command?.options ?? []).map(({ name }) => `--${name}`), '--json', '--help'];
}

/** The names that could have been meant where a command was not known. */
export function knownNames(words: readonly string[]): readonly string[] {
  const [group = ''] = words;
  const inGroup = commands
    .filter(({ name }) => name.startsWith(`${group} `))
    .map(({ name }) => name.slice(group.length + 1));
  return inGroup.length > 0 ? inGroup : [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? name))];
}
