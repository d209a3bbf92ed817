import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The project folders: from here up to the repository root, or only this folder. A home folder under git is not the
 * project of everything below it.
 */
export function projectFolders(cwd: string, home: string): readonly string[] {
  const ownHome = realOr(home);
  // Use the user's spelling, so that files in it are recognized as user files.
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

export function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // The folder is missing or inaccessible.
    return path;
  }
}
