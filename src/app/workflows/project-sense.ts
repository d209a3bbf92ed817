import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import type { Environment } from '../../config/index.js';
import { homeOf } from '../../config/state-path.js';

/** Tells what may have come with a project: nothing of one runs before it was trusted. */
export interface ProjectSense {
  isOfProject(path: string): boolean;
  /** The environment with a PATH that leads to nothing of it: interpreters are looked for there, too. */
  environment(): Environment;
}

/** What stands where a project begins, or where a larger one goes on. */
const marks = ['.git', 'package.json', 'node_modules'];

export function createProjectSense({
  cwd,
  env,
}: {
  readonly cwd: string;
  readonly env: Environment;
}): ProjectSense {
  const home = homeOf(env, process.platform);
  const roots = [cwd, realOf(cwd)].flatMap((folder) => outermost(folder, home) ?? []);
  const isOfProject = (path: string): boolean =>
    // Package runners put these on the PATH, those of folders above too.
    !isAbsolute(path) ||
    path.split(/[\\/]/).includes('node_modules') ||
    [path, realOf(path)].some((one) => roots.some((root) => `${one}${sep}`.startsWith(`${root}${sep}`)));
  return {
    isOfProject,
    environment: () =>
      Object.fromEntries(
        Object.entries(env).map(([name, value]) => [
          name,
          name.toUpperCase() === 'PATH' ? withoutThose(value ?? '', isOfProject) : value,
        ]),
      ),
  };
}

function withoutThose(path: string, isOfProject: (folder: string) => boolean): string {
  return path
    .split(delimiter)
    .filter((folder) => !isOfProject(folder))
    .join(delimiter);
}

/** The project that the folder is part of, however deep; undefined for a home, where programs of the user lie. */
function outermost(folder: string, home: string): string | undefined {
  if (folder === home || folder === dirname(folder)) return undefined;
  let found = folder;
  for (let at = folder; at !== home && at !== dirname(at); at = dirname(at))
    if (marks.some((mark) => existsSync(join(at, mark)))) found = at;
  return found;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
