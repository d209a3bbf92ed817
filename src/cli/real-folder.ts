import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from './failure.js';

/** The absolute path of a folder, with links resolved, so that two spellings of a workspace are one workspace. */
export function realFolder(given: string, cwd: string): string {
  const path = resolve(cwd, given);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return realpathSync(path);
  throw new Failure('usage.bad_value', `--workspace takes the path of an existing folder, not "${given}".`);
}
