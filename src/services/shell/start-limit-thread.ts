import { Worker } from 'node:worker_threads';

/**
 * Imported lazily, so that the build gives this file its own chunk: from there, the built thread is one folder up. When
 * tests run from the sources, the thread is TypeScript and needs a loader.
 */
export function startLimitThread(): Worker {
  const isBuilt = !import.meta.url.endsWith('.ts');
  const main = isBuilt
    ? new URL('../limit-watch.js', import.meta.url)
    : new URL('limit-watch.main.ts', import.meta.url);
  return new Worker(main, {
    name: 'limit-watch',
    execArgv: isBuilt ? [] : ['--import', 'jiti/register'],
    // Standard output belongs to the protocol.
    stdout: true,
    stderr: true,
  });
}
