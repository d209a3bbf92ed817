import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type Environment,
  findConfig,
  hasErrors,
  loadConfig,
  operatorConfig,
  operatorFolder,
  type Problem,
  type Secrets,
} from '../../config/index.js';
import { type ForeignFile, readForeign } from './foreign-file.js';
import { ImportRefused } from './refused.js';

/** The tidegate.yaml that servers are added to. */
export interface Target {
  readonly file: string;
  readonly folder: string;
  /** Undefined: it is made. */
  readonly content: ForeignFile | undefined;
  /** It is the operator's own file, which holds wherever there is no other. */
  readonly isOperators: boolean;
}

export interface TargetWish {
  readonly cwd: string;
  readonly env: Environment;
  readonly configFile?: string;
  /** The operator's own file is wanted. */
  readonly isOperators: boolean;
}

/** The named file, the operator's own, or the nearest; where there is none, one in this folder. */
export function targetOf({ cwd, env, configFile, isOperators }: TargetWish): Target {
  const own = operatorConfig(env);
  const named = isOperators ? (own ?? join(operatorFolder(env), 'tidegate.yaml')) : configFile;
  const file = named ?? findConfig(cwd) ?? join(cwd, 'tidegate.yaml');
  if (file.endsWith('.json')) {
    const message = `${file} is JSON; servers are added to YAML files only.`;
    throw new ImportRefused('import.unverified', message, 'tidegate import --config tidegate.yaml');
  }
  const content = readForeign(file);
  const path = content?.path ?? file;
  return { file: path, folder: dirname(path), content, isOperators: isOperators || file === own };
}

/** What would be wrong with the file if it held this text; variables that are not set are not. */
export async function problemsOf(file: string, text: string): Promise<readonly Problem[]> {
  const { problems } = await loadConfig({ file, text, env: {}, home: homedir() });
  return problems.filter((problem) => hasErrors([problem]) && problem.code !== 'config.env_missing');
}

/** The variables that the file could not be read without, each once. */
export async function unsetIn(
  file: string,
  text: string,
  given: { readonly env: Environment; readonly secrets: Secrets },
): Promise<readonly string[]> {
  const { problems } = await loadConfig({ file, text, ...given, home: homedir() });
  const names = problems.flatMap(({ variable, severity }) =>
    variable === undefined || severity !== 'error' ? [] : [variable],
  );
  return [...new Set(names)];
}
