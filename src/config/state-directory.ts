import { mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { messageOf } from '../lib/error-message.js';
import { quote } from '../lib/source-place.js';
import { createProblem, type Problem } from './problem.js';
import { homeOf } from './state-path.js';
import type { Environment } from './substitute.js';

/** Rejects a relative TIDEGATE_HOME, which would depend on the current directory. */
export function homeProblem(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): Problem | undefined {
  const { TIDEGATE_HOME: own } = environment;
  if (!own || isAbsolute(own)) return undefined;
  const meant = own.startsWith('~/') ? join(homeOf(environment, platform), own.slice(2)) : resolve(own);
  return createProblem(own, '', {
    code: 'config.relative_home',
    message: `TIDEGATE_HOME is a relative path: ${quote(own)}.`,
    remedy: `Set TIDEGATE_HOME to an absolute path, such as ${meant}`,
  });
}

/** Creates the directory with mode 0700. Returns a problem if that fails or other users could change it. */
export function prepareStateDirectory(directory: string): Problem | undefined {
  try {
    makeDirectory(directory);
    return stateDirectoryProblem(directory);
  } catch (error) {
    const reason = messageOf(error);
    return createProblem(directory, '', {
      code: 'state.unwritable',
      message: `The directory cannot be created: ${reason}.`,
    });
  }
}

// Not `recursive: true`, which never returns on a file system that rejects directories, such as /proc.
function makeDirectory(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(directory);
  if (parent !== directory) makeDirectory(parent);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it.
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Returns why the files in the directory cannot be trusted. A missing directory is fine. */
export function stateDirectoryProblem(directory: string): Problem | undefined {
  const stats = statSync(directory, { throwIfNoEntry: false });
  return stats === undefined ? undefined : ownershipProblem(directory, stats);
}

// Report it but never fix it: TIDEGATE_HOME may be a directory that other users share.
function ownershipProblem(directory: string, { uid, mode }: Stats): Problem | undefined {
  const self = process.getuid?.();
  if (self === undefined) return undefined;
  const isForeign = uid !== self && uid !== 0;
  if (!isForeign && (mode & 0o022) === 0) return undefined;
  const message = isForeign
    ? 'The directory belongs to another user.'
    : 'Other users can write to the directory.';
  return createProblem(directory, '', { code: 'state.unsafe', message });
}
