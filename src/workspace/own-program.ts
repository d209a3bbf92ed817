import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { programFile } from './program-file.js';

/**
 * Parts of the running program inside a workspace root: its package (`npm i -D tidegate`), the packages it loads, and
 * Node (`nvm` in a home folder that is a root). The gateway imports chunks late, so a changed file would run in this
 * process.
 */
export function ownProgram(roots: readonly string[]): readonly string[] {
  const real = roots.map(realOr);
  const isInRoot = (path: string) => real.some((root) => isInside(path, root));
  const dist = dirname(realOr(programFile));
  const folder = dirname(dist);
  // In a checkout of Tidegate itself, only the built program is protected, so that agents can edit the rest.
  const own = real.some((root) => isInside(root, folder)) ? dist : folder;
  const all = isInRoot(own) ? [own, ...(packages ??= packagesOf(folder))] : [];
  return [...all, realOr(process.execPath)].filter(isInRoot);
}

/** Read once: the packages of a running program do not move. */
let packages: readonly string[] | undefined;

/** The runtime dependencies of a package, recursively. */
function packagesOf(folder: string, found = new Set<string>()): readonly string[] {
  for (const name of dependenciesOf(folder) ?? []) {
    // Look up by folder, because `exports` may hide package.json. Packages for other platforms are not installed.
    const at = foldersAbove(folder)
      .map((above) => realOr(join(above, 'node_modules', name)))
      .find((path) => dependenciesOf(path) !== undefined);
    if (at === undefined || found.has(at)) continue;
    found.add(at);
    packagesOf(at, found);
  }
  return [...found];
}

function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

function dependenciesOf(folder: string): readonly string[] | undefined {
  try {
    const text = readFileSync(join(folder, 'package.json'), 'utf8');
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(text) as {
      readonly dependencies?: object;
      readonly optionalDependencies?: object;
    };
    return [...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
  } catch {
    return undefined;
  }
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
