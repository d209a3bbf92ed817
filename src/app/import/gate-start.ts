import { dirname, relative } from 'node:path';
import type { ClientFile, GateStart } from '../../clients/index.js';
import { type Environment, findConfig } from '../../config/index.js';
import { programFile } from '../workflows/program-file.js';
import { installCommand, isPassing } from './install-command.js';
import { ImportRefused } from './refused.js';
import type { Target } from './target.js';
import { isOnPath } from './on-path.js';

export type GateForm = 'absolute' | 'name' | 'npx';

export interface GateWish {
  readonly cwd: string;
  readonly env: Environment;
  readonly version: string;
  readonly target: Target;
  /** Nothing is written to a target that is not there: then there is no file to name. */
  readonly hasNoFile?: boolean;
  /** Undefined: what suits the file. */
  readonly form?: GateForm | undefined;
}

/**
 * How a client starts the gate. In a file of the user by whole paths, because programs of the desktop have another PATH;
 * in a file of a project, which others use too, by name.
 */
export function gateStart(file: ClientFile, wish: GateWish, program = programFile): GateStart {
  const form = gateForm(file, wish, program);
  const words = ['mcp', ...(wish.hasNoFile === true ? [] : configWords(file, wish.target))];
  const env = file.scope === 'user' ? stateVariables(wish) : {};
  if (form === 'absolute') return { command: process.execPath, args: [program, ...words], env };
  if (form === 'name') return { command: 'tidegate', args: words, env };
  const npx = ['npx', '-y', file.scope === 'user' ? `tidegate@${wish.version}` : 'tidegate', ...words];
  const [command = '', ...args] = process.platform === 'win32' ? ['cmd', '/c', ...npx] : npx;
  return { command, args, env };
}

/** The form that was asked for, or the one that suits the file. */
export function gateForm(
  { scope }: Pick<ClientFile, 'scope'>,
  { form, env, cwd, version }: GateWish,
  program = programFile,
): GateForm {
  if (form !== undefined) return form;
  // A package runner keeps its packages only for a while, and what it was given need not be on the registry.
  if (isPassing(program)) throw passing(version, program);
  if (scope === 'user') return 'absolute';
  // A name works for each colleague who installed it, whether or not the registry has it.
  return isOnPath(program, env, cwd) ? 'name' : 'npx';
}

function passing(version: string, program: string): ImportRefused {
  const message =
    'Nothing was written: this Tidegate was started by npx and does not stay, so a client could not start it later. Install it, or let clients fetch it from the registry with --gate npx.';
  return new ImportRefused('import.passing_gate', message, installCommand(version, program));
}

/** Nothing where the gate finds the file by itself. */
function configWords(
  { scope, folder }: ClientFile,
  { file, content, isOperators }: Target,
): readonly string[] {
  if (scope === 'user' && isOperators) return [];
  if (scope === 'project' && folder !== undefined && isFoundFrom(folder, file, content === undefined))
    return [];
  return ['--config', file];
}

function isFoundFrom(folder: string, file: string, isNew: boolean): boolean {
  const nearest = findConfig(folder);
  if (!isNew) return nearest === file;
  const isAbove = !relative(dirname(file), folder).startsWith('..');
  return isAbove && (nearest === undefined || nearest.length < file.length);
}

/** The variables that say where trust, secrets and the operator's own file are. */
export const stateNames = ['TIDEGATE_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'] as const;

/** A client may hand on nothing of its environment, and then trust and secrets would not be found. */
function stateVariables({ env, target }: GateWish): Readonly<Record<string, string>> {
  const names = stateNames.filter((name) => name !== 'XDG_CONFIG_HOME' || target.isOperators);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value ? [[name, value] as const] : [];
    }),
  );
}
