import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { shellWord } from '../../lib/shell-word.js';
import { isJsonObject, type Json } from '../../clients/index.js';
import { programFile } from '../program-file.js';

/** Whether npx started the program. npx packages are temporary and not on PATH. */
export function isPassing(program = programFile): boolean {
  return cacheOf(program) !== undefined;
}

/** The command that installs this exact program as `tidegate`, even if the registry does not have it. */
export function installCommand(version: string, program = programFile): string {
  const cache = cacheOf(program);
  const folder = dirname(dirname(program));
  if (cache !== undefined) return install(givenTo(cache, version) ?? `./tidegate-${version}.tgz`);
  const bin = commandsBeside(folder);
  // Installing a folder that npm manages would replace it with a link to itself.
  return bin === undefined ? install(folder) : `add ${bin} to PATH: tidegate is installed there`;
}

function install(what: string): string {
  return `npm install --global ${shellWord(what)}`;
}

/** The cache folder that npx created for this package. */
function cacheOf(program: string): string | undefined {
  const [before, ...after] = program.split(`${sep}_npx${sep}`);
  const [name] = after.at(-1)?.split(sep) ?? [];
  return before === undefined || name === undefined ? undefined : join(before, '_npx', name);
}

/** What npx was asked to install; it records that as a dependency of the folder. */
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
    // Another version of npx may store this differently.
    return undefined;
  }
}

/** The bin folder of a globally installed package. */
function commandsBeside(folder: string): string | undefined {
  const modules = dirname(folder);
  const prefix = dirname(modules);
  if (basename(modules) !== 'node_modules') return undefined;
  const [bin, name] =
    basename(prefix) === 'lib' ? [join(dirname(prefix), 'bin'), 'tidegate'] : [prefix, 'tidegate.cmd'];
  return existsSync(join(bin, name)) ? bin : undefined;
}
