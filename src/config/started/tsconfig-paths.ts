import { dirname, join, resolve } from 'node:path';
import type { Gathering } from './cover.js';
import { statsOf } from './stats-of.js';
import { readRegularText } from './workspace-paths.js';

const maxExtends = 100;
const maxSize = 1024 * 1024;

/** Adds TypeScript path mappings from a folder upwards, and their targets. */
export function addTypeScriptPaths(gathering: Gathering, folder: string): void {
  for (let at = folder; gathering.roots.some((root) => at.startsWith(root)); at = dirname(at))
    addSettings(gathering, join(at, 'tsconfig.json'), new Set());
}

function addSettings(gathering: Gathering, file: string, seen: Set<string>): void {
  if (seen.has(file) || statsOf(file)?.isFile() !== true) return;
  if (seen.add(file).size > maxExtends)
    return gathering.fail(
      `${file} is in a chain of more than ${String(maxExtends)} files that extend each other`,
    );
  gathering.addFile(file);
  if ((statsOf(file)?.size ?? 0) > maxSize) return gathering.fail(`${file} is larger than 1 MiB`);
  const text = readRegularText(file);
  const folder = dirname(file);
  for (const [, name = ''] of text.matchAll(/"extends"\s*:\s*"(\.[^"]*)"/g))
    for (const end of ['', '.json', '/tsconfig.json'])
      addSettings(gathering, resolve(folder, name + end), seen);
  const [, baseUrl] = /"baseUrl"\s*:\s*"([^"]*)"/.exec(text) ?? [];
  const base = resolve(folder, baseUrl ?? '.');
  if (baseUrl !== undefined) gathering.moduleFolders.add(base);
  for (const [, target = ''] of pathsIn(text).matchAll(/[[,]\s*"([^"]+)"/g)) {
    const star = target.indexOf('*');
    if (star < 0) gathering.addNamed(base, `./${target}`);
    else gathering.addCodeTree(resolve(base, target.slice(0, star).replace(/[^/]*$/, '')));
  }
}

/** The text between the braces of `paths`. */
function pathsIn(text: string): string {
  const found = /"paths"\s*:\s*\{/.exec(text);
  if (found === null) return '';
  const start = found.index + found[0].length;
  return text.slice(start, Math.max(start, text.indexOf('}', start)));
}
