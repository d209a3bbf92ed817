import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Environment } from './launch.js';

const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];

/** The file that a name means on this PATH; a path means itself. Undefined: there is none that can be started. */
export function findProgram(name: string, env: Environment, cwd: string): string | undefined {
  return candidates(name, env, cwd).find(canStart);
}

/** A file of that name on this PATH that nobody may start, for when there is no other. */
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
