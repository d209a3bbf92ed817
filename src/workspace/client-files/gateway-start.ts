import { dirname, relative } from 'node:path';
import type { ClientFile, TidegateStart } from '../../clients/index.js';
import { type Environment, findConfig } from '../../config/index.js';
import { programFile } from '../program-file.js';
import { installCommand, isPassing } from './install-command.js';
import { ImportRefused } from './refused.js';
import type { Target } from './target.js';
import { isOnPath } from './on-path.js';

export type GateForm = 'absolute' | 'name' | 'npx';

export interface GatewayOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly version: string;
  readonly target: Target;
  /** The target does not exist and is not created, so there is no file to pass. */
  readonly hasNoFile?: boolean;
  /** Undefined: choose by the kind of file. */
  readonly form?: GateForm | undefined;
}

/**
 * How a client starts the gateway. User files get absolute paths, because desktop programs have a different PATH.
 * Project files are shared, so they get the name `tidegate` if that name is this program.
 */
export function gateStart(file: ClientFile, options: GatewayOptions, program = programFile): TidegateStart {
  const form = gateForm(file, options, program);
  const words = ['mcp', ...(options.hasNoFile === true ? [] : configWords(file, options.target))];
  const env = file.scope === 'user' ? stateVariables(options) : {};
  if (form === 'absolute') return { command: process.execPath, args: [program, ...words], env };
  if (form === 'name') return { command: 'tidegate', args: words, env };
  const npx = ['npx', '-y', `tidegate@${options.version}`, ...words];
  const [command = '', ...args] = process.platform === 'win32' ? ['cmd', '/c', ...npx] : npx;
  return { command, args, env };
}

/** The requested form, or the one that fits the file. */
export function gateForm(
  { scope }: Pick<ClientFile, 'scope'>,
  { form, env, cwd, version }: GatewayOptions,
  program = programFile,
): GateForm {
  if (form !== undefined) return form;
  // npx keeps its packages only temporarily, and this one may not be in the registry.
  if (isPassing(program)) throw passing(version, program);
  if (scope === 'user') return 'absolute';
  // A name works for every colleague who installed it. The owner of the package name decides what npx downloads, so it is
  // never the default: a path of this machine starts this program here and nothing elsewhere.
  return isOnPath(program, env, cwd) ? 'name' : 'absolute';
}

function passing(version: string, program: string): ImportRefused {
  const message =
    'Nothing was written: this Tidegate runs from the temporary npx cache, so clients could not start it later. Install it, or use --gate npx to let clients download it from the registry.';
  return new ImportRefused('import.passing_gate', message, installCommand(version, program));
}

/** Empty if the gateway finds the file without `--config`. */
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

/** Variables that locate trust, secrets and the operator's file. */
export const stateNames = ['TIDEGATE_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'] as const;

/** A client may not pass on its environment; without these variables, trust and secrets would not be found. */
function stateVariables({ env, target }: GatewayOptions): Readonly<Record<string, string>> {
  const names = stateNames.filter((name) => name !== 'XDG_CONFIG_HOME' || target.isOperators);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value ? [[name, value] as const] : [];
    }),
  );
}
