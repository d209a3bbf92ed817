import { realpathSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path';
import { namesIn } from '../../lib/list-folder.js';
import { homeOf } from '../state-path.js';
import type { Environment } from '../substitute.js';
import { statsOf } from '../started/stats-of.js';

/** A folder that has a manifest. */
export interface PluginFolder {
  /** With links resolved. */
  readonly folder: string;
  readonly manifestFile: string;
  readonly program: string;
}

const prefix = 'awf-plugin-';
const mostFolders = 500;

export interface PluginDirectory {
  readonly path: string;
  /** Whether AWF uses the folder too. Then the record of AWF says which plugins are disabled. */
  readonly isOfAwf: boolean;
}

/** The plugin folders, in order of precedence. */
export function pluginDirectories(workspace: string, environment: Environment): readonly PluginDirectory[] {
  const { AWF_PLUGINS_PATH: only } = environment;
  if (only)
    return only
      .split(delimiter)
      .flatMap((one) => (one === '' ? [] : [{ path: resolve(workspace, one), isOfAwf: true }]));
  const data = dataHome(environment);
  return [
    { path: join(workspace, '.tidegate', 'plugins'), isOfAwf: false },
    { path: join(workspace, '.awf', 'plugins'), isOfAwf: true },
    { path: join(data, 'tidegate', 'plugins'), isOfAwf: false },
    { path: join(data, 'awf', 'plugins'), isOfAwf: true },
  ];
}

/** The user's data directory (XDG). */
export function dataHome(environment: Environment, platform: NodeJS.Platform = process.platform): string {
  const { XDG_DATA_HOME: shared } = environment;
  if (shared !== undefined && isAbsolute(shared)) return shared;
  return join(homeOf(environment, platform), '.local', 'share');
}

/** The files that declare plugins, in order of precedence. */
export function pluginLists(workspace: string): readonly string[] {
  return [join(workspace, '.tidegate', 'plugins.yaml'), join(workspace, '.awf', 'plugins.yaml')];
}

/** Whether there may be any plugin here. Reads no file, so that a start stays fast. */
export function mayHavePlugins(workspace: string, environment: Environment): boolean {
  return pluginPlaces(workspace, environment).some((path) => statsOf(path) !== undefined);
}

/** All paths that determine which plugins exist. */
export function pluginPlaces(workspace: string, environment: Environment): readonly string[] {
  return [...pluginDirectories(workspace, environment).map(({ path }) => path), ...pluginLists(workspace)];
}

/** All plugin folders in a directory, sorted by name. Runs nothing. */
export function pluginFoldersIn(directory: string): readonly PluginFolder[] {
  const names = namesIn(directory).toSorted().slice(0, mostFolders);
  return names.flatMap((name) => pluginFolderAt(join(directory, name)) ?? []);
}

export function pluginFolderAt(path: string): PluginFolder | undefined {
  const manifestFile = join(path, 'plugin.yaml');
  if (statsOf(manifestFile)?.isFile() !== true) return undefined;
  const folder = realpathSync.native(path);
  // Use the name under which the folder was found: a link may differ from its target.
  const name = basename(path);
  const program = name.startsWith(prefix) ? name : `${prefix}${name}`;
  return { folder, manifestFile: join(folder, 'plugin.yaml'), program: join(folder, program) };
}
