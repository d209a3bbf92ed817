import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { ToolFailure } from '../../core/index.js';

/** True for the folder and everything in it, but not for a sibling whose name starts the same. */
export function isInside(path: string, folder: string): boolean {
  const end = folder.endsWith(sep) ? folder : folder + sep;
  return path === folder || path.startsWith(end);
}

/** The same for many folders, at a cost that does not grow with their number. */
export function insideAny(folders: readonly string[]): (path: string) => boolean {
  const all = new Set(folders);
  return (path) => {
    for (let at = path; ; at = dirname(at)) {
      if (all.has(at)) return true;
      if (at === dirname(at)) return false;
    }
  };
}

/** The real path of the directory to run in, which is inside a root. */
export async function resolveDirectory(cwd: string | undefined, roots: readonly string[]): Promise<string> {
  const [first] = roots;
  if (first === undefined) {
    throw new ToolFailure('unsupported', 'There is no workspace root, so no command can run.', {
      reason: 'no_workspace',
    });
  }
  if (cwd === undefined) return first;
  const real = await realpath(resolve(first, cwd)).catch(() => undefined);
  if (real === undefined || !roots.some((root) => isInside(real, root))) throw outside(roots);
  const found = await stat(real).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new ToolFailure('not_found', 'cwd is not a directory; pass a directory in the workspace.', {
      reason: 'not_a_directory',
    });
  }
  return real;
}

/** Uses the same message for missing and outside paths, so that it reveals nothing about the rest of the disk. */
function outside(roots: readonly string[]): ToolFailure {
  return new ToolFailure(
    'not_found',
    'cwd is not a directory in the workspace; omit it, or pass one that is.',
    {
      reason: 'outside_workspace',
      details: { roots },
      suggestion: 'Omit cwd to run in the first workspace root.',
    },
  );
}

/** The path as callers know it: relative to the first root, or absolute in any other root. */
export function pathForCallers(path: string, roots: readonly string[]): string {
  const [first] = roots;
  if (first === undefined || !isInside(path, first)) return path;
  const inside = relative(first, path);
  if (inside === '') return '.';
  return isAbsolute(inside) ? path : inside.replaceAll(sep, '/');
}
