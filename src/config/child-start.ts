import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, resolve, sep } from 'node:path';
import { childEnvironment } from './environment.js';
import type { Environment } from './substitute.js';

export interface ChildStart {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface ChildProgram {
  readonly command: string;
  readonly cwd: string;
  /** Variables from the configuration. A `PATH` in it is used unchanged. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Removes workspace folders from the `PATH` of a server or plugin. `npx`, an active venv and direnv add some, and an agent could put a
 * `node` or `git` there that an unrelated program then runs. The command itself is still found there, because its file is hashed.
 */
export function childStart(
  { command, cwd, env: set }: ChildProgram,
  own: Environment,
  roots: readonly string[],
): ChildStart {
  const env = childEnvironment(own, set);
  const path = env['PATH'];
  if (path === undefined || set['PATH'] !== undefined) return { command, env };
  const real = roots.map(realOr);
  const isOutside = (folder: string): boolean =>
    isAbsolute(folder) && !real.some((root) => isInside(realOr(folder), root));
  const folders = path.split(delimiter);
  const kept = folders.filter(isOutside);
  if (kept.length === folders.length) return { command, env };
  const isName = !/[/\\]/.test(command);
  const found = isName
    ? folders.map((folder) => resolve(cwd, folder, command)).find((file) => mayRun(file))
    : undefined;
  return { command: found ?? command, env: { ...env, PATH: kept.join(delimiter) } };
}

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
