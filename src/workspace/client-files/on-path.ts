import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { findProgram } from '../../lib/find-program.js';
import type { Environment } from '../../config/index.js';

/** Whether `tidegate` on PATH is this program, installed permanently. */
export function isOnPath(program: string, env: Environment, cwd: string): boolean {
  const found = findProgram('tidegate', env, cwd);
  // Package runners add these project folders to PATH temporarily; editors do not have them.
  if (found === undefined || found.includes(join(sep, 'node_modules', '.bin', sep))) return false;
  try {
    return realpathSync(found) === realpathSync(program) || isShimFor(found, program);
  } catch {
    // It was deleted meanwhile.
    return false;
  }
}

const largestShim = 16 * 1024;

/** Without links, a small script starts the program by its relative path. */
function isShimFor(found: string, program: string): boolean {
  if (statSync(found).size > largestShim) return false;
  const way = relative(dirname(realpathSync(found)), realpathSync(program));
  const text = readFileSync(found, 'utf8');
  return [way, way.replaceAll('\\', '/')].some((one) => text.includes(one));
}
