import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];

/** Resolves a program name on PATH; a path is returned as is. Undefined if nothing can be started. */
export function findProgram(
  name: string,
  env: Environment,
  cwd: string,
  isAllowed: (file: string) => boolean = () => true,
): string | undefined {
  return candidates(name, env, cwd).find((file) => canStart(file) && isAllowed(file));
}

/** A file with that name on PATH that is not executable, for error messages. */
export function findBlocked(name: string, env: Environment, cwd: string): string | undefined {
  return candidates(name, env, cwd).find((file) => !canStart(file) && isFile(file));
}

function candidates(name: string, env: Environment, cwd: string): readonly string[] {
  const isPath = name.includes('/') || name.includes('\\');
  const folders = isPath
    ? [cwd]
    : (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((one) => one !== '');
  return folders.flatMap((folder) =>
    endings.map((ending) => (isPath ? resolve(folder, name + ending) : join(folder, name + ending))),
  );
}

function canStart(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return isFile(file);
  } catch {
    return false;
  }
}

function isFile(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
