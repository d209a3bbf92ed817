import { clients } from '../../clients/index.js';
import { type Environment, findConfig, operatorConfig } from '../../config/index.js';
import { homeOf } from '../../config/state-path.js';
import { commandLine } from '../../access/desk/shell-word.js';
import { type ImportWish, planImport, TargetRefused } from './import-plan.js';
import { ImportRefused } from './refused.js';

/** Of these variables, those whose values `--secrets keep` would find in files of clients, under these very names. */
export async function stillInClear(wish: ImportWish, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return [];
  try {
    const { secrets } = await planImport({ ...wish, isPointing: false });
    return names.filter((name) => secrets.some((secret) => secret.name === name && !secret.isThere));
  } catch (error) {
    // It is an offer only: what cannot be read has nothing to offer, and others tell why.
    if (error instanceof ImportRefused || error instanceof TargetRefused) return [];
    throw error;
  }
}

export interface VariablesPlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly version: string;
  /** The tidegate.yaml that refers to them. */
  readonly file: string;
}

/** What to type so that values which stand in files of clients are kept; undefined where none does. */
export async function keepingCommand(
  { cwd, env, version, file }: VariablesPlace,
  names: readonly string[],
): Promise<string | undefined> {
  const home = homeOf(env, process.platform);
  const wish = { cwd, env, version, home, clients, named: [], configFile: file };
  const plain = { isOperators: false, takesDisabled: false, isPointing: false };
  const found = await stillInClear({ ...wish, ...plain }, names);
  if (found.length === 0) return undefined;
  return commandLine('import', '--secrets', 'keep', ...targetWords(file, cwd, env));
}

/** Nothing where import finds the file by itself. */
function targetWords(file: string, cwd: string, env: Environment): readonly string[] {
  if (findConfig(cwd) === file) return [];
  return operatorConfig(env) === file ? ['--user'] : ['--config', file];
}
