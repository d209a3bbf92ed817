import { homedir } from 'node:os';
import type { ImportOptions, Undone } from '../../../features/import/index.js';
import {
  homeProblem,
  prepareStateDirectory,
  printable,
  shellWord,
  stateDirectory,
} from '../../../config/index.js';
import { type Command, configOption, type Context, type Given, textOption } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { type ImportChoice, planned, runImport } from './import-flow.js';
import { shortPath } from './import-text.js';
import { configFileOf } from '../../locate.js';
import { didYouMean } from '../../nearest-name.js';

export const importCommand: Command = {
  name: 'import',
  summary: 'Import MCP servers from your agents and editors. --point makes those clients use Tidegate.',
  arguments: [
    {
      name: '[clients...]',
      about:
        'claude, mcp-json, claude-desktop, gemini, codex, opencode, cursor, vscode. Default: all clients found.',
    },
  ],
  options: [
    { name: 'point', about: 'Replace the servers in the client files with Tidegate.' },
    { name: 'dry-run', about: 'Show what would change without writing anything.' },
    { name: 'undo', about: 'Restore what --point replaced, byte for byte.' },
    {
      name: 'keep-changes',
      about: 'With --undo: put the servers back into a file that has been edited since, and keep the edits.',
    },
    {
      name: 'force',
      about:
        'With --undo: restore a file even if it has been edited since; the edited version is saved. With --point and --yes: continue even if variables have no value yet.',
    },
    { name: 'yes', about: 'Skip the confirmation prompt.' },
    {
      name: 'secrets',
      value: 'keep|reference',
      about:
        'What to do with plain-text secrets: keep stores them in a private file; reference writes only variable references. Default: ask; without a terminal, reference.',
    },
    { name: 'disabled', about: 'Also import disabled servers; they stay disabled.' },
    {
      name: 'scope',
      value: 'user|project',
      about: 'Use only your own client files, or only those of this project.',
    },
    configOption,
    { name: 'user', about: 'Write to your user-level tidegate.yaml, which applies in folders without one.' },
    {
      name: 'gate',
      value: 'absolute|name|npx',
      about:
        'How clients start Tidegate. Default: by name in project files if `tidegate` is on PATH, otherwise by absolute path.',
    },
  ],
  examples: [
    'tidegate import --dry-run',
    'tidegate import claude codex --point',
    'tidegate import --point --yes --secrets keep',
    'tidegate import --undo',
  ],
  async run(given, context) {
    refuseExclusive(given);
    const { clientNames, clientsNamed } = await import('../../../features/import/index.js');
    const clients = clientsNamed(given.arguments);
    if (clients === undefined) throw unknownClient(given.arguments, clientNames);
    if (given.options['undo'] === true) return undo(given, context);
    const request = optionsOf(given, context, clients);
    const { plan, applied } = await runImport(request, choiceOf(given), context);
    if (plan.servers.length === 0 && plan.points.length === 0) tellNothing(context);
    else if (applied === undefined && plan.added.length === 0 && plan.points.length === 0)
      context.output.line('Nothing to add.');
    return exitCodes.ok;
  },
};

function refuseExclusive({ options }: Given): void {
  const pairs = [
    ['undo', 'point'],
    ['config', 'user'],
    ['undo', 'secrets'],
    ['force', 'keep-changes'],
  ] as const;
  for (const [one, other] of pairs) {
    if (options[one] === undefined || options[other] === undefined) continue;
    throw new Failure(
      'usage.exclusive',
      `--${one} and --${other} cannot be used together.`,
      'tidegate import --help',
    );
  }
  for (const name of ['force', 'keep-changes']) {
    if (options[name] !== true || options['undo'] === true) continue;
    if (name === 'force' && options['point'] === true) continue;
    throw new Failure(
      'usage.missing_argument',
      `--${name} requires --undo.`,
      `tidegate import --undo --${shellWord(name)}`,
    );
  }
}

function unknownClient(names: readonly string[], known: readonly string[]): Failure {
  const wrong = names.find((name) => !known.includes(name)) ?? '';
  const message = `Unknown client: ${printable(wrong)}.${didYouMean(wrong, known)} Available: ${known.join(', ')}.`;
  return new Failure('import.unknown_client', message, 'tidegate import --dry-run');
}

/** The value of an option, checked against the allowed ones; undefined if it was not given. */
function chosen<T extends string>(given: Given, name: string, values: readonly T[]): T | undefined {
  const text = textOption(given, name);
  if (text === undefined) return undefined;
  const found = values.find((value) => value === text);
  if (found !== undefined) return found;
  const message = `--${name} takes ${values.join(' or ')}, not "${printable(text)}".`;
  throw new Failure('usage.bad_value', message, 'tidegate import --help');
}

function optionsOf(given: Given, context: Context, clients: ImportOptions['clients']): ImportOptions {
  const { cwd, env, version } = context;
  return {
    ...{ cwd, env, version, clients },
    home: homeOf(env),
    named: given.arguments,
    scope: chosen(given, 'scope', ['user', 'project']),
    configFile: configFileOf(textOption(given, 'config'), context),
    isOperators: given.options['user'] === true,
    takesDisabled: given.options['disabled'] === true,
    isPointing: given.options['point'] === true,
    gate: chosen(given, 'gate', ['absolute', 'name', 'npx']),
  };
}

export function homeOf(env: Context['env']): string {
  return (process.platform === 'win32' ? env['USERPROFILE'] : env['HOME']) || homedir();
}

function choiceOf(given: Given): ImportChoice {
  const again = againOf(given);
  return {
    isDry: given.options['dry-run'] === true,
    isAgreed: given.options['yes'] === true,
    isForced: given.options['force'] === true,
    secrets: chosen(given, 'secrets', ['keep', 'reference']),
    again,
    keep: `${again} --secrets keep`,
  };
}

/** The command as typed, without the options that answer prompts. */
function againOf(given: Given): string {
  const flags = ['point', 'disabled', 'user'].filter((name) => given.options[name] === true);
  const texts = ['scope', 'config', 'gate'].flatMap((name) => {
    const value = textOption(given, name);
    return value === undefined ? [] : [`--${name}`, shellWord(value)];
  });
  return ['tidegate import', ...given.arguments, ...flags.map((name) => `--${name}`), ...texts].join(' ');
}

function tellNothing({ output }: Context): void {
  output.line('No MCP servers found in the configuration of your agents and editors.');
  output.line('To connect an agent to Tidegate anyway: tidegate import claude --point');
}

async function undo(given: Given, { cwd, env, output }: Context): Promise<ExitCode> {
  const { projectFolders, undoImport } = await import('../../../features/import/index.js');
  const [directory, home] = [stateDirectory(env), homeOf(env)];
  const isDry = given.options['dry-run'] === true;
  const problem = homeProblem(env) ?? (isDry ? undefined : prepareStateDirectory(directory));
  if (problem !== undefined) throw new Failure(problem.code, problem.message, problem.remedy);
  const undone = await planned(() =>
    Promise.resolve(
      undoImport({
        stateDirectory: directory,
        names: given.arguments,
        place: { platform: process.platform, home, folders: projectFolders(cwd, home), env },
        isForced: given.options['force'] === true,
        keepsChanges: given.options['keep-changes'] === true,
        isDry,
      }),
    ),
  );
  if (undone.length === 0)
    throw new Failure(
      'import.nothing_to_undo',
      'None of these files was changed by --point.',
      'tidegate import --point',
    );
  output.json({ undone, written: !isDry });
  for (const one of undone) output.say(undoneLine(one));
  if (isDry) output.note('Dry run: nothing was written.');
  else output.line('The servers are still in tidegate.yaml.');
  return exitCodes.ok;
}

function undoneLine({ file, what, keptAs, earlier }: Undone): string {
  const words = {
    restored: 'Restored',
    merged: 'Put the servers back into',
    removed: 'Removed',
    unchanged: 'Already restored:',
  } as const;
  const aside = keptAs === undefined ? '' : `; the edited version is saved as ${printable(keptAs)}`;
  const more =
    earlier === 0
      ? ''
      : `; ${String(earlier)} earlier ${earlier === 1 ? 'change remains' : 'changes remain'} (run --undo again)`;
  return `${words[what]} ${printable(shortPath(file))}${aside}${more}`;
}
