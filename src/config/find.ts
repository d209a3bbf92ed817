import { statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { homeOf } from './state-path.js';
import type { Environment } from './substitute.js';

const names = ['tidegate.yaml', 'tidegate.yml'] as const;

/** The configuration file of the directory or of the nearest one above it. */
export function findConfig(startDirectory: string): string | undefined {
  for (let directory = resolve(startDirectory); ; directory = dirname(directory)) {
    const found = fileIn(directory);
    if (found !== undefined || dirname(directory) === directory) return found;
  }
}

/** The operator's own file, for when a workspace has none. It needs trust like any other. */
export function operatorConfig(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  for (const directory of configHomes(environment, platform)) {
    const found = fileIn(directory);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where the operator's own file is made. */
export function operatorFolder(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): string {
  return configHomes(environment, platform)[0] ?? '';
}

/** Where the operator keeps workflows and what they use, beside those of a workspace. */
export function workflowHomes(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  const homes = configHomes(environment, platform);
  return [...homes, join(dirname(homes.at(-1) ?? ''), 'awf')];
}

function configHomes(environment: Environment, platform: NodeJS.Platform): readonly string[] {
  const { TIDEGATE_HOME: own, XDG_CONFIG_HOME: shared, APPDATA: roaming } = environment;
  const homes: string[] = own ? [resolve(own)] : [];
  // The XDG rules say that a relative path is to be ignored.
  if (shared !== undefined && isAbsolute(shared)) homes.push(join(shared, 'tidegate'));
  else if (platform === 'win32' && roaming) homes.push(join(roaming, 'tidegate'));
  else homes.push(join(homeOf(environment, platform), '.config', 'tidegate'));
  return homes;
}

function fileIn(directory: string): string | undefined {
  return names.map((name) => join(directory, name)).find(isFile);
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // A directory that we may not look into has no file for us.
    return false;
  }
}
