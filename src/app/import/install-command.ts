import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { shellWord } from '../../access/desk/shell-word.js';
import { isJsonObject, type Json } from '../../clients/index.js';
import { programFile } from '../workflows/program-file.js';

/** Whether npx started the program: its packages stay only for a while, and no name on PATH leads to them. */
export function isPassing(program = programFile): boolean {
  return cacheOf(program) !== undefined;
}

/** What makes this very program the command `tidegate`, whether or not the registry has it. */
export function installCommand(version: string, program = programFile): string {
  const cache = cacheOf(program);
  const folder = dirname(dirname(program));
  if (cache !== undefined) return install(givenTo(cache, version) ?? `./tidegate-${version}.tgz`);
  const bin = commandsBeside(folder);
  // Installing a folder of npm's own would put a link to itself in its place.
  return bin === undefined ? install(folder) : `put ${bin} on PATH: tidegate is installed there`;
}

function install(what: string): string {
  return `npm install --global ${shellWord(what)}`;
}

/** The folder that npx made for this package. */
function cacheOf(program: string): string | undefined {
  const [before, ...after] = program.split(`${sep}_npx${sep}`);
  const [name] = after.at(-1)?.split(sep) ?? [];
  return before === undefined || name === undefined ? undefined : join(before, '_npx', name);
}

/** What npx was told to fetch: it writes that down as a dependency of the folder. */
function givenTo(cache: string, version: string): string | undefined {
  const said = dependencyIn(join(cache, 'package.json'));
  if (said === undefined) return undefined;
  if (!said.startsWith('file:')) return said.includes(':') ? said : `tidegate@${version}`;
  const file = resolve(cache, said.slice('file:'.length));
  return existsSync(file) ? file : undefined;
}

function dependencyIn(file: string): string | undefined {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Json;
    const all = isJsonObject(value) ? value['dependencies'] : undefined;
    const said = isJsonObject(all) ? all['tidegate'] : undefined;
    return typeof said === 'string' ? said : undefined;
  } catch {
    // Another npx may keep its books in another way: then nobody knows.
    return undefined;
  }
}

/** Where npm put the command of a package that it installed for everybody. */
function commandsBeside(folder: string): string | undefined {
  const modules = dirname(folder);
  const prefix = dirname(modules);
  if (basename(modules) !== 'node_modules') return undefined;
  const [bin, name] =
    basename(prefix) === 'lib' ? [join(dirname(prefix), 'bin'), 'tidegate'] : [prefix, 'tidegate.cmd'];
  return existsSync(join(bin, name)) ? bin : undefined;
}
