import { statSync } from 'node:fs';
import { join } from 'node:path';
import { stateDirectory } from '../config/index.js';

/**
 * Caches compiled code between starts (Node 22.8 and later), which saves a tenth of the startup time. Only in an existing
 * state directory that no other user can write, because the cached code is executed.
 */
export function keepCompiled(): void {
  // Missing in older versions of Node.
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
    // Unreadable, or a link to itself: the code that needs the directory reports it.
    return false;
  }
}
