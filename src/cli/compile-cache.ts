import { statSync } from 'node:fs';
import { join } from 'node:path';
import { stateDirectory } from '../config/state-path.js';

/**
 * Lets a Node that can (22.8 and later) keep compiled code between starts: a tenth less of each start. Only in a state
 * directory that is there and is the user's alone, because what is kept there is run.
 */
export function keepCompiled(): void {
  // Older ones have no such function.
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    enableCompileCache?: (directory: string) => unknown;
  };
  if (enableCompileCache === undefined || process.env['NODE_COMPILE_CACHE'] !== undefined) return;
  const directory = stateDirectory(process.env);
  if (isOwn(directory)) enableCompileCache(join(directory, 'compiled'));
}

function isOwn(directory: string): boolean {
  try {
    const stats = statSync(directory, { throwIfNoEntry: false });
    const self = process.getuid?.();
    return stats !== undefined && (self === undefined || (stats.uid === self && (stats.mode & 0o022) === 0));
  } catch {
    // A link to itself, or a folder that we may not look into: whoever needs it says so.
    return false;
  }
}
