import { statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { homeOf } from './state-path.js';
import type { Environment } from './substitute.js';

export const configNames = ['tidegate.yaml', 'tidegate.yml'] as const;

/** The configuration file in the directory or its nearest ancestor. */
export function findConfig(startDirectory: string): string | undefined {
  return configPaths(startDirectory).find(isConfigFile);
}

/** All possible paths of the configuration of a directory, nearest first. */
export function configPaths(startDirectory: string): readonly string[] {
  const paths: string[] = [];
  for (let directory = resolve(startDirectory); ; directory = dirname(directory)) {
    paths.push(...configNames.map((name) => join(directory, name)));
    if (dirname(directory) === directory) return paths;
  }
}

/** The operator's own file, used when a workspace has none. It needs trust like any other. */
export function operatorConfig(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  return operatorPaths(environment, platform).find(isConfigFile);
}

/** All possible paths of the operator's own file, in order of precedence. */
export function operatorPaths(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  return configHomes(environment, platform).flatMap((folder) =>
    configNames.map((name) => join(folder, name)),
  );
}

/** The folder in which the operator's own file is created. */
export function operatorFolder(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): string {
  return configHomes(environment, platform)[0] ?? '';
}

/** Folders for the operator's own workflows, in addition to those of a workspace. */
export function workflowHomes(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  const homes = configHomes(environment, platform);
  return [...homes, join(dirname(homes.at(-1) ?? ''), 'awf')];
}

/** The folders that may hold the operator's own file, in order of precedence. */
export function configHomes(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  const { TIDEGATE_HOME: own, XDG_CONFIG_HOME: shared, APPDATA: roaming } = environment;
  const homes: string[] = own ? [resolve(own)] : [];
  // The XDG specification says to ignore relative paths.
  if (shared !== undefined && isAbsolute(shared)) homes.push(join(shared, 'tidegate'));
  else if (platform === 'win32' && roaming) homes.push(join(roaming, 'tidegate'));
  else homes.push(join(homeOf(environment, platform), '.config', 'tidegate'));
  return homes;
}

export function isConfigFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // An unreadable directory counts as one without a configuration file.
    return false;
  }
}
