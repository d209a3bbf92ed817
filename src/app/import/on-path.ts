import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { findProgram } from '../../agents/index.js';
import type { Environment } from '../../config/index.js';

/** Whether `tidegate` on PATH is this very program, installed to stay, and not another one that is called so. */
export function isOnPath(program: string, env: Environment, cwd: string): boolean {
  const found = findProgram('tidegate', env, cwd);
  // Runners of packages put such folders of a project on the PATH for a moment: no editor has them.
  if (found === undefined || found.includes(join(sep, 'node_modules', '.bin', sep))) return false;
  try {
    return realpathSync(found) === realpathSync(program) || isShimFor(found, program);
  } catch {
    // It went away while we looked.
    return false;
  }
}

const largestShim = 16 * 1024;

/** Where there are no links, a small script starts the program by its way from there. */
function isShimFor(found: string, program: string): boolean {
  if (statSync(found).size > largestShim) return false;
  const way = relative(dirname(realpathSync(found)), realpathSync(program));
  const text = readFileSync(found, 'utf8');
  return [way, way.replaceAll('\\', '/')].some((one) => text.includes(one));
}
