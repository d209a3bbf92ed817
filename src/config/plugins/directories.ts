import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path';
import { homeOf } from '../state-directory.js';
import type { Environment } from '../substitute.js';

/** A folder that has a manifest. */
export interface PluginFolder {
  /** With links resolved. */
  readonly folder: string;
  readonly manifestFile: string;
  readonly program: string;
}

const prefix = 'awf-plugin-';
const mostFolders = 500;

/** The folders that hold plugins, the first to be asked first. */
export function pluginDirectories(
  workspace: string,
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  const { AWF_PLUGINS_PATH: only, XDG_DATA_HOME: shared } = environment;
  if (only) return only.split(delimiter).flatMap((one) => (one === '' ? [] : [resolve(workspace, one)]));
  const data =
    shared !== undefined && isAbsolute(shared)
      ? shared
      : join(homeOf(environment, platform), '.local', 'share');
  return [
    join(workspace, '.tidegate', 'plugins'),
    join(workspace, '.awf', 'plugins'),
    join(data, 'tidegate', 'plugins'),
    join(data, 'awf', 'plugins'),
  ];
}

/** The files that declare plugins by hand, the first to be asked first. */
export function pluginLists(workspace: string): readonly string[] {
  return [join(workspace, '.tidegate', 'plugins.yaml'), join(workspace, '.awf', 'plugins.yaml')];
}

/** Whether there may be any plugin here. Reads no file: for those who start fast. */
export function mayHavePlugins(workspace: string, environment: Environment): boolean {
  return [...pluginDirectories(workspace, environment), ...pluginLists(workspace)].some(
    (path) => statSync(path, { throwIfNoEntry: false }) !== undefined,
  );
}

/** Everything in a directory that calls itself a plugin, in the order of the names. Runs nothing. */
export function pluginFoldersIn(directory: string): readonly PluginFolder[] {
  const names = namesIn(directory).sort().slice(0, mostFolders);
  return names.flatMap((name) => pluginFolderAt(join(directory, name)) ?? []);
}

export function pluginFolderAt(path: string): PluginFolder | undefined {
  const manifestFile = join(path, 'plugin.yaml');
  if (statSync(manifestFile, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const folder = realpathSync.native(path);
  // The name of the folder as it was found: a link may have another one than what it leads to.
  const name = basename(path);
  const program = name.startsWith(prefix) ? name : `${prefix}${name}`;
  return { folder, manifestFile: join(folder, 'plugin.yaml'), program: join(folder, program) };
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Most workspaces have none.
    return [];
  }
}
