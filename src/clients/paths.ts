import { posix, win32 } from 'node:path';
import type { ClientFile, ClientPlace } from './client.js';

/** Path functions of the given platform, which may differ from the current one. */
export function pathsOf({ platform }: Pick<ClientPlace, 'platform'>): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/** The user's settings folder: `%APPDATA%`, `~/Library/Application Support` or `~/.config`. */
export function settingsFolder(place: ClientPlace): string {
  const paths = pathsOf(place);
  if (place.platform === 'win32') return place.env['APPDATA'] || paths.join(place.home, 'AppData', 'Roaming');
  if (place.platform === 'darwin') return paths.join(place.home, 'Library', 'Application Support');
  return configFolder(place);
}

/** `~/.config`, on every platform. */
export function configFolder(place: ClientPlace): string {
  const paths = pathsOf(place);
  const shared = place.env['XDG_CONFIG_HOME'];
  return shared !== undefined && paths.isAbsolute(shared) ? shared : paths.join(place.home, '.config');
}

export function userFile(place: ClientPlace, ...parts: readonly string[]): ClientFile {
  return { path: pathsOf(place).join(...parts), scope: 'user' };
}

/** One file per project folder. A file in the home folder counts as the user's, because it is not shared. */
export function projectFiles(place: ClientPlace, ...parts: readonly string[]): readonly ClientFile[] {
  const paths = pathsOf(place);
  return place.folders.map((folder) => ({
    path: paths.join(folder, ...parts),
    scope: folder === place.home ? 'user' : 'project',
    folder,
  }));
}
