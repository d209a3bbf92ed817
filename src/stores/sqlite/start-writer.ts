import { Worker } from 'node:worker_threads';
import type { WriterParts } from './orders.js';

/**
 * Loaded late, so that the build gives this file a chunk of its own: from there the built writer is one folder up. From the
 * sources, as tests run it, the writer is TypeScript that somebody has to translate.
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
