import { Command as Commander } from 'commander';
import type { Command, Given } from './command.js';
import { commands } from './commands/index.js';
import { exitCodes, exitMeanings } from './exit-codes.js';
import { groups } from './groups.js';
import { wrapped } from './terminal/wrap.js';

/** The command and the parsed command line. */
export interface Chosen {
  readonly command: Command;
  readonly given: Given;
}

/** Where help is written to. */
export interface HelpPage {
  readonly write: (text: string) => void;
  /** The maximum line width, read when help is written. */
  readonly width: () => number;
}

/** Builds the commander program from the list of commands. */
export function createProgram(version: string, choose: (chosen: Chosen) => void, page: HelpPage): Commander {
  const program = configured(new Commander('tidegate'), page);
  program.description('One gateway between AI agents and every tool they use.');
  program.version(version, '-V, --version', 'Print the version.');
  program.addHelpText('after', () => `${exampleText(firstSteps)}\nExit status:\n${exitText(page.width())}\n`);
  for (const command of commands) addCommand(program, command, choose, page);
  return program;
}

const firstSteps = ['tidegate init', 'tidegate doctor', 'tidegate tools list'];

function exampleText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}\n`;
}

const exitIndent = 7;

function exitText(width: number): string {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  const lines = names.flatMap((name) =>
    wrapped(exitMeanings[name], width - exitIndent).map(
      (line, at) => `  ${(at === 0 ? String(exitCodes[name]) : '').padEnd(4)} ${line}`,
    ),
  );
  return lines.join('\n');
}

function addCommand(
  program: Commander,
  command: Command,
  choose: (chosen: Chosen) => void,
  page: HelpPage,
): void {
  const words = command.name.split(' ');
  const [last = ''] = words.slice(-1);
  const parent = words.length === 1 ? program : groupOf(program, words[0] ?? '', page);
  const made = configured(parent.command(last), page).description(command.summary);
  for (const { name, about } of command.arguments ?? []) made.argument(name, about);
  for (const { name, value, about, short, isRepeated } of command.options ?? []) {
    const flags = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
    if (isRepeated === true) made.option<readonly string[]>(flags, about, collected);
    else made.option(flags, about);
  }
  made.option('--json', 'Print the result as JSON.');
  made.addHelpText('after', exampleText(command.examples));
  made.action(() => {
    choose({
      command,
      given: { arguments: made.args, options: optionsOf(command, made), lists: listsOf(command, made) },
    });
  });
}

/** Options by their names in the table. Commander uses camelCase, and drops the `no-` prefix. */
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

function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function listsOf(command: Command, made: Commander): NonNullable<Given['lists']> {
  const values: Readonly<Record<string, unknown>> = made.opts();
  const repeated = (command.options ?? []).filter(({ isRepeated }) => isRepeated === true);
  return Object.fromEntries(
    repeated.map(({ name }) => [name, (values[camelCase(name)] ?? []) as readonly string[]] as const),
  );
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function groupOf(program: Commander, name: string, page: HelpPage): Commander {
  const known = program.commands.find((command) => command.name() === name);
  if (known !== undefined) return known;
  const below = commands.filter((command) => command.name.startsWith(`${name} `));
  return configured(program.command(name), page)
    .description(groups[name] ?? '')
    .addHelpText(
      'after',
      exampleText(below.slice(0, mostExamples).flatMap(({ examples }) => examples.slice(0, 1))),
    );
}

const mostExamples = 3;
/** Descriptions in help are wrapped down to this width. */
const narrowest = 24;

/** Prevents commander from writing to the standard streams or exiting the process. */
function configured(command: Commander, { write, width }: HelpPage): Commander {
  return command
    .exitOverride()
    .helpCommand(false)
    .allowExcessArguments(false)
    .showSuggestionAfterError(false)
    .helpOption('-h, --help', 'Print this help.')
    .configureHelp({ minWidthToWrap: narrowest, subcommandTerm: termOf })
    .configureOutput({
      writeOut: write,
      writeErr: write,
      outputError: () => undefined,
      getOutHelpWidth: width,
      getErrHelpWidth: width,
    });
}

/** The name and arguments, without `[options]`, which every command has. */
function termOf(command: Commander): string {
  const words = command.registeredArguments.map((argument) => {
    const word = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${word}>` : `[${word}]`;
  });
  return [command.name(), ...words].join(' ');
}

/** Candidates for an unknown option. */
export function knownOptions(words: readonly string[]): readonly string[] {
  const [first = '', second = ''] = words;
  const command =
    commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first);
  return [...(command?.options ?? []).map(({ name }) => `--${name}`), '--json', '--help'];
}

/** Candidates for an unknown command. */
export function knownNames(words: readonly string[]): readonly string[] {
  const [group = ''] = words;
  const inGroup = commands
    .filter(({ name }) => name.startsWith(`${group} `))
    .map(({ name }) => name.slice(group.length + 1));
  return inGroup.length > 0 ? inGroup : [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? name))];
}
