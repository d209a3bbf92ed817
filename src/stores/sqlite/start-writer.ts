import { Worker } from 'node:worker_threads';
import type { WriterParts } from './orders.js';

/**
 * Imported lazily, so that the build gives this file its own chunk, one folder below the built writer. Run
 * from source, as in tests, the writer is TypeScript and needs a loader.
 */
export function startWriter(parts: WriterParts): Worker {
  const isBuilt = !import.meta.url.endsWith('.ts');
  const main = isBuilt
    ? new URL('../store-writer.js', import.meta.url)
    : new URL('writer.main.ts', import.meta.url);
  return new Worker(main, {
    name: 'tidegate store writer',
    workerData: parts,
    execArgv: isBuilt ? [] : ['--import', 'jiti/register'],
    // Standard output belongs to the protocol.
    stdout: true,
    stderr: true,
  });
}
