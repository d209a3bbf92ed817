import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Environment } from './launch.js';

const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];

/** The file that a name means on this PATH; a path means itself. Undefined: there is none that can be started. */
export function findProgram(name: string, env: Environment, cwd: string): string | undefined {
  const isPath = name.includes('/') || name.includes('\\');
  const folders = isPath
    ? [cwd]
    : (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((one) => one !== '');
  for (const folder of folders) {
    for (const ending of endings) {
      const file = isPath ? resolve(folder, name + ending) : join(folder, name + ending);
      if (canStart(file)) return file;
    }
  }
  return undefined;
}

function canStart(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
