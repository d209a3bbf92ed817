import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folders of the project: from here up to the root of the repository, or only here. A home that is under git is still
 * a home: what stands in it is the user's, and no project of everything below it.
 */
export function projectFolders(cwd: string, home: string): readonly string[] {
  const ownHome = realOr(home);
  // As the user spells it, so that files in it are known as those of the user.
  if (realOr(cwd) === ownHome) return [home];
  const folders = [cwd];
  for (let folder = cwd; folders.length < 32; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folders;
    const above = dirname(folder);
    if (above === folder || realOr(above) === ownHome) break;
    folders.push(above);
  }
  return [cwd];
}

function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // A folder that is not there, or not to be looked at, is only what it is called.
    return path;
  }
}
