import { mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { quote } from '../kernel/source-place.js';
import { createProblem, type Problem } from './problem.js';
import { homeOf } from './state-path.js';
import type { Environment } from './substitute.js';

/** Why TIDEGATE_HOME names no directory: what is relative would be another one wherever a command is typed. */
export function homeProblem(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): Problem | undefined {
  const { TIDEGATE_HOME: own } = environment;
  if (!own || isAbsolute(own)) return undefined;
  const meant = own.startsWith('~/') ? join(homeOf(environment, platform), own.slice(2)) : resolve(own);
  return createProblem(own, '', {
    code: 'config.relative_home',
    message: `TIDEGATE_HOME is the relative path ${quote(own)}.`,
    remedy: `Set TIDEGATE_HOME to an absolute path, such as ${meant}`,
  });
}

/** Makes the directory for this user alone (0700). Gives a problem when it cannot be, or others could change it. */
export function prepareStateDirectory(directory: string): Problem | undefined {
  try {
    makeDirectory(directory);
    return stateDirectoryProblem(directory);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return createProblem(directory, '', {
      code: 'state.unwritable',
      message: `The directory cannot be made: ${reason}.`,
    });
  }
}

// Step by step: Node's own `recursive` never comes back from a file system that takes no directories, such as /proc.
function makeDirectory(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(directory);
  if (parent !== directory) makeDirectory(parent);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process was quicker.
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Why what stands in the directory cannot be believed. A directory that does not exist holds nothing wrong. */
export function stateDirectoryProblem(directory: string): Problem | undefined {
  const stats = statSync(directory, { throwIfNoEntry: false });
  return stats === undefined ? undefined : ownershipProblem(directory, stats);
}

// It is reported, never corrected: TIDEGATE_HOME may name a directory that others use too.
function ownershipProblem(directory: string, { uid, mode }: Stats): Problem | undefined {
  const self = process.getuid?.();
  if (self === undefined) return undefined;
  const isForeign = uid !== self && uid !== 0;
  if (!isForeign && (mode & 0o022) === 0) return undefined;
  const message = isForeign
    ? 'The directory belongs to another user.'
    : 'Every user may write to the directory.';
  return createProblem(directory, '', { code: 'state.unsafe', message });
}
