import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { type Environment, homeOf } from '../config/index.js';
import { realOr } from './project-folders.js';

/** Tells which paths belong to a project; nothing from a project runs before it is trusted. */
export interface ProjectSense {
  isOfProject(path: string): boolean;
  /** The environment without project folders on PATH, because interpreters are found there too. */
  environment(): Environment;
}

/** Files that mark a project folder. */
const marks = ['.git', 'package.json', 'node_modules'];

export interface SensePlace {
  readonly cwd: string;
  readonly env: Environment;
  /** The configured workspace roots; agents can write there, so they count as project folders. */
  readonly roots?: readonly string[];
}

export function createProjectSense({ cwd, env, roots: configured = [] }: SensePlace): ProjectSense {
  const home = homeOf(env, process.platform);
  const roots = [cwd, ...configured]
    .flatMap((folder) => [folder, realOr(folder)])
    .flatMap((folder) => outermost(folder, home) ?? []);
  const isOfProject = (path: string): boolean =>
    // Package runners add node_modules/.bin to PATH, including those of parent folders.
    !isAbsolute(path) ||
    path.split(/[\\/]/).includes('node_modules') ||
    [path, realOr(path)].some((one) => roots.some((root) => `${one}${sep}`.startsWith(`${root}${sep}`)));
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

/** The outermost project that contains the folder; undefined for the home folder and its parents, where user programs are. */
function outermost(folder: string, home: string): string | undefined {
  if (`${home}${sep}`.startsWith(`${folder}${sep}`) || folder === dirname(folder)) return undefined;
  let found = folder;
  for (let at = folder; at !== home && at !== dirname(at); at = dirname(at))
    if (marks.some((mark) => existsSync(join(at, mark)))) found = at;
  return found;
}
