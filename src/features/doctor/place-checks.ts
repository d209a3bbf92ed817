import { accessSync, constants, lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { commandLine, shellWord } from '../../lib/shell-word.js';
import { describeProblem, type Problem } from '../../config/index.js';
import type { Located } from '../../workspace/locate-config.js';
import type { Check, Finding } from './check.js';
import { messageOf } from '../../lib/error-message.js';
import type { Scene } from './scene.js';

export const placeChecks: readonly Check[] = [
  {
    id: 'config',
    group: 'place',
    title: 'Configuration',
    why: 'tidegate.yaml lists your MCP servers. Without it, only the built-in tools are available.',
    remedy: 'Run `tidegate config check` to see every problem with its line.',
    run: async (scene) => configFindings(scene, await scene.located()),
  },
  {
    id: 'config.variables',
    group: 'place',
    title: 'Config variables',
    why: 'Tidegate does not start if tidegate.yaml uses a variable that is not set, because a server without its key would fail later.',
    remedy:
      'Save the value with `tidegate secrets set NAME`, set the variable where Tidegate is started, or write `${NAME:-default}`.',
    run: async (scene) => variableFindings(scene, await scene.located()),
  },
  {
    id: 'workspace',
    group: 'place',
    title: 'Workspace',
    why: 'File tools and Bash are limited to the workspace roots. A root that is too broad exposes too much to agents.',
    remedy: 'List the folders that agents may work in under `workspace.roots`.',
    run: async (scene) =>
      (await scene.roots()).map((root) => ({ ...rootFinding(root, scene.home), about: root })),
  },
];

const mostLines = 5;

async function configFindings(scene: Scene, located: Located | undefined): Promise<readonly Finding[]> {
  if (located?.file === undefined) {
    const detail = `no tidegate.yaml in ${scene.cwd}, its parent folders or the state directory`;
    return [{ state: 'note', detail, next: commandLine('init') }];
  }
  const { file, config } = located;
  const problems = located.problems.filter(({ code }) => code !== missing);
  const errors = problems.filter(({ severity }) => severity === 'error');
  const facts = { file, servers: config.servers.length };
  const next = commandLine('config', 'check', file);
  if (problems.length > 0) {
    const count = (number: number, word: string): string =>
      `${String(number)} ${word}${number === 1 ? '' : 's'}`;
    const state = errors.length > 0 ? 'fail' : 'warn';
    const words = errors.length > 0 ? count(errors.length, 'error') : count(problems.length, 'warning');
    return [{ state, detail: `${file}: ${words}`, more: problemLines(problems), next, facts }];
  }
  const unset = unsetErrors(located);
  if (unset.length > 0) {
    const count = unset.length === 1 ? 'a variable is' : `${String(unset.length)} variables are`;
    const detail = `${file}: Tidegate cannot start, ${count} not set`;
    return [{ state: 'fail', detail, next: await nextForUnset(unset, scene, file), facts }];
  }
  const enabled = config.servers.filter(({ isEnabled }) => isEnabled).length;
  const servers = `${String(enabled)} ${enabled === 1 ? 'server' : 'servers'}`;
  return [{ state: 'ok', detail: `${file}: ${servers}`, facts }];
}

const missing = 'config.env_missing';

function problemLines(problems: readonly Problem[]): readonly string[] {
  const shown = problems.slice(0, mostLines).map(describeProblem);
  const left = problems.length - shown.length;
  return left > 0 ? [...shown, `and ${String(left)} more`] : shown;
}

/** Unset variables that make the file invalid, without duplicates. */
function unsetErrors({ problems }: Located): readonly string[] {
  const names = problems.flatMap(({ variable, severity }) =>
    variable === undefined || severity !== 'error' ? [] : [variable],
  );
  return [...new Set(names)];
}

/** A value found in a client's file does not have to be typed. */
async function nextForUnset(names: readonly string[], scene: Scene, file: string): Promise<string> {
  // Others may have written to an unsafe state directory, so nothing is read from it.
  const place = { cwd: scene.cwd, env: scene.env, version: scene.version, file };
  const keeping = scene.obstacle() === undefined ? await scene.storeSecretsCommand(place, names) : undefined;
  return keeping ?? commandLine('secrets', 'set', names[0] ?? '');
}

async function variableFindings(scene: Scene, located: Located | undefined): Promise<readonly Finding[]> {
  if (located?.file === undefined) return [{ state: 'skipped', detail: 'no tidegate.yaml found' }];
  const unset = located.problems.filter(({ code }) => code === missing);
  if (unset.length === 0) return [{ state: 'ok', detail: 'all variables used in the file are set' }];
  const isError = unset.some(({ severity }) => severity === 'error');
  const names = [...new Set(unset.map(({ variable }) => variable ?? ''))];
  const detail = `not set: ${names.join(', ')}`;
  const errors = unsetErrors(located);
  const next = await nextForUnset(errors.length > 0 ? errors : names, scene, located.file);
  return [{ state: isError ? 'fail' : 'warn', detail, more: problemLines(unset), next }];
}

function rootFinding(root: string, home: string): Finding {
  const found = realFolder(root);
  if (typeof found === 'string') {
    const next = 'create the folder, or fix workspace.roots in tidegate.yaml';
    return { state: 'fail', detail: found, next };
  }
  const { real } = found;
  const state = realFolder(home);
  if (typeof state !== 'string' && `${state.real}${sep}`.startsWith(withEnd(real)))
    return {
      state: 'warn',
      detail:
        'it contains Tidegate’s state directory. Agents cannot see it there, but another place is safer',
      next: 'set TIDEGATE_HOME to another directory, or choose a narrower root',
    };
  if (real === dirname(real) || real === realOr(homedir()))
    return {
      state: 'warn',
      detail: `agents can access all of ${real}`,
      next: 'start Tidegate in a project folder, or set workspace.roots in tidegate.yaml',
    };
  if (!isWritable(real)) return { state: 'warn', detail: 'not writable', next: `ls -ld ${shellWord(real)}` };
  const git = isInGit(real);
  if (git) return { state: 'ok', detail: 'writable, in a git repository', facts: { git } };
  return {
    state: 'note',
    detail: 'writable, but not in a git repository: changes by agents cannot be undone',
    next: 'git init',
    facts: { git },
  };
}

function withEnd(folder: string): string {
  return folder.endsWith(sep) ? folder : `${folder}${sep}`;
}

function realFolder(path: string): { readonly real: string } | string {
  try {
    const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return 'does not exist';
    return stats.isDirectory() ? { real: realpathSync(path) } : 'not a folder';
  } catch (error) {
    return `cannot be accessed: ${messageOf(error)}`;
  }
}

function realOr(path: string): string {
  const found = realFolder(path);
  return typeof found === 'string' ? path : found.real;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function isInGit(start: string): boolean {
  for (let folder = start; ; folder = dirname(folder)) {
    try {
      if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return true;
    } catch {
      // A folder we cannot read counts as no repository.
    }
    if (dirname(folder) === folder) return false;
  }
}
