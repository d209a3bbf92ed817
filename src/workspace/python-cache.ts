import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const maxAgeMs = 30 * 24 * 60 * 60 * 1000;

/** Bytecode cache of Python servers, in a folder that agents cannot write. */
export function pythonCacheIn(stateDirectory: string): string {
  return join(stateDirectory, 'python');
}

/** Deletes the cache once a month, because deleted sources leave bytecode behind. */
export async function sweepPythonCache(stateDirectory: string, now = Date.now()): Promise<void> {
  const folder = pythonCacheIn(stateDirectory);
  const found = await stat(folder).catch(() => undefined);
  if (found !== undefined && now - found.birthtimeMs > maxAgeMs)
    await rm(folder, { recursive: true, force: true });
}
