import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { namesIn } from '../../lib/list-folder.js';
import { isPython } from '../python-cache.js';
import { statsOf } from './stats-of.js';
import { readRegularText } from './workspace-paths.js';

/** What Python can import from a folder on its path. */
export interface Importable {
  readonly modules: readonly string[];
  readonly packages: readonly string[];
}

/** Collects what belongs to a Python environment. */
interface Taker {
  addFile(path: string): void;
  addCodeTree(folder: string): void;
  addImportable(folder: string): void;
}

const moduleFile = /^[\p{L}_][\p{L}\p{N}_]*(?:\.(?:py|pyc)|(?:\.[\w-]+)*\.(?:so|pyd))$/u;
const packageStart = /^__init__\.(?:py|pyc|(?:[\w.-]+\.)?(?:so|pyd))$/;

/** Folders without `__init__` are left out: they come after every other module with the same name, so they shadow nothing. */
export function importableIn(folder: string): Importable {
  const names = sortedNamesIn(folder);
  return {
    modules: names.filter((name) => moduleFile.test(name)).map((name) => join(folder, name)),
    packages: names
      .filter((name) => sortedNamesIn(join(folder, name)).some((inner) => packageStart.test(inner)))
      .map((name) => join(folder, name)),
  };
}

/** Adds the environment of a program such as `.venv/bin/python`, by its path before links are resolved. */
export function addEnvironmentOf(program: string, gathering: Taker): void {
  const folder = dirname(dirname(program));
  if (!isPython(program) && !/^(?:bin|Scripts)$/.test(basename(dirname(program)))) return;
  // A new `pyvenv.cfg` next to a program of the workspace would take effect.
  for (const at of [dirname(program), folder]) gathering.addFile(join(at, 'pyvenv.cfg'));
  if (statsOf(join(folder, 'pyvenv.cfg'))?.isFile() !== true) return;
  for (const library of ['lib', 'lib64', 'Lib'].map((name) => join(folder, name))) {
    gathering.addCodeTree(library);
    const versions = sortedNamesIn(library).map((name) => join(library, name, 'site-packages'));
    for (const site of [...versions, join(library, 'site-packages')]) addLinked(site, gathering);
  }
}

/** Adds workspace folders that `.pth` files and editable installs put on the path. */
function addLinked(site: string, gathering: Taker): void {
  for (const name of sortedNamesIn(site)) {
    const isPath = name.endsWith('.pth');
    if (!isPath && !/^__editable__.*\.py$/.test(name)) continue;
    const text = textOf(join(site, name));
    const places = isPath
      ? text
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '' && !/^(?:#|import\s)/.test(line))
          .map((line) => resolve(site, line))
      : [...text.matchAll(/['"]([^'"\n]+)['"]/g)].map(([, place = '']) => place).filter(isAbsolute);
    for (const place of new Set(places)) {
      gathering.addImportable(place);
      // An editable install may point to the package itself.
      if (!isPath) gathering.addImportable(dirname(place));
    }
  }
}

function sortedNamesIn(folder: string): readonly string[] {
  return namesIn(folder).toSorted();
}

function textOf(file: string): string {
  try {
    return statsOf(file)?.isFile() === true ? readRegularText(file) : '';
  } catch {
    return '';
  }
}
