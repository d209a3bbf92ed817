import { Worker } from 'node:worker_threads';

/**
 * Loaded late, so that the build gives this file a chunk of its own: from there the built thread is one folder up. From
 * the sources, as tests run it, the thread is TypeScript that somebody has to translate.
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
