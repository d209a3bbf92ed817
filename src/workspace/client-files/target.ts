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
  /** The path as named or found; may be a link. */
  readonly link: string;
  readonly folder: string;
  /** Undefined if the file will be created. */
  readonly content: ForeignFile | undefined;
  /** This is the operator's file, used where no other exists. */
  readonly isOperators: boolean;
}

export interface TargetOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly configFile?: string;
  /** Use the operator's file. */
  readonly isOperators: boolean;
}

/** The named file, the operator's file or the nearest one; otherwise a new one in this folder. */
export function targetOf({ cwd, env, configFile, isOperators }: TargetOptions): Target {
  const own = operatorConfig(env);
  const named = isOperators ? (own ?? join(operatorFolder(env), 'tidegate.yaml')) : configFile;
  const file = named ?? findConfig(cwd) ?? join(cwd, 'tidegate.yaml');
  if (file.endsWith('.json')) {
    const message = `${file} is JSON. Servers can only be added to YAML files.`;
    throw new ImportRefused('import.unverified', message, 'tidegate import --config tidegate.yaml');
  }
  const content = readForeign(file);
  const path = content?.path ?? file;
  return { file: path, link: file, folder: dirname(path), content, isOperators: isOperators || file === own };
}

/** Errors the file would have with this text; unset variables are ignored. */
export async function problemsOf(file: string, text: string): Promise<readonly Problem[]> {
  const { problems } = await loadConfig({ file, text, env: {}, home: homedir() });
  return problems.filter((problem) => hasErrors([problem]) && problem.code !== 'config.env_missing');
}

/** Unset variables that would make the file invalid, without duplicates. */
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
