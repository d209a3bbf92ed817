import { commandLine } from '../../lib/shell-word.js';
import { clients } from '../../clients/index.js';
import { type Environment, findConfig, homeOf, operatorConfig } from '../../config/index.js';
import { type ImportOptions, planImport, TargetRefused } from './import-plan.js';
import { ImportRefused } from '../../workspace/client-files/refused.js';

/** The variables whose values `--secrets keep` would find in client files under the same names. */
export async function findPlainTextSecrets(
  options: ImportOptions,
  names: readonly string[],
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  try {
    const { secrets } = await planImport({ ...options, isPointing: false });
    return names.filter((name) => secrets.some((secret) => secret.name === name && !secret.isThere));
  } catch (error) {
    // This is only a suggestion; unreadable files are reported elsewhere.
    if (error instanceof ImportRefused || error instanceof TargetRefused) return [];
    throw error;
  }
}

export interface VariablesPlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly version: string;
  /** The tidegate.yaml that uses them. */
  readonly file: string;
}

/** The command that saves values found in client files; undefined if there are none. */
export async function storeSecretsCommand(
  { cwd, env, version, file }: VariablesPlace,
  names: readonly string[],
): Promise<string | undefined> {
  const home = homeOf(env, process.platform);
  const options = { cwd, env, version, home, clients, named: [], configFile: file };
  const plain = { isOperators: false, takesDisabled: false, isPointing: false };
  const found = await findPlainTextSecrets({ ...options, ...plain }, names);
  if (found.length === 0) return undefined;
  return commandLine('import', '--secrets', 'keep', ...configArguments(file, cwd, env));
}

/** Empty if import finds the file without options. */
function configArguments(file: string, cwd: string, env: Environment): readonly string[] {
  if (findConfig(cwd) === file) return [];
  return operatorConfig(env) === file ? ['--user'] : ['--config', file];
}
