import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const staleAfterMs = 120_000;

/** Lets only one build of a tree run at a time, because each removes chunks of other builds. */
export async function withBuildLock(root, work) {
  const lock = join(root, '.cache', 'build.lock');
  await mkdir(join(root, '.cache'), { recursive: true });
  while (!(await take(lock))) await sleep(200);
  try {
    return await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function take(lock) {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    // A build that was killed leaves its lock behind.
    if (await isStale(lock)) await rm(lock, { recursive: true, force: true });
    return false;
  }
}

async function isStale(lock) {
  try {
    return Date.now() - (await stat(lock)).mtimeMs > staleAfterMs;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}
