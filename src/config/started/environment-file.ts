import type { Gathering } from './cover.js';
import { namedFiles } from './named-files.js';
import { addModuleFolders } from './runtimes.js';
import { readRegularText } from './workspace-paths.js';

const maxSize = 256 * 1024;

export const environmentOption = /^--env-file(?:-if-exists)?$/;

/** Adds an env file: its `NODE_OPTIONS` decides what runs, like a variable of the entry. */
export function addEnvironmentFile(gathering: Gathering, file: string, cwd: string): void {
  gathering.addFile(file);
  const text = textOf(file);
  if (text.length > maxSize) return gathering.fail(`${file} is larger than 256 KiB`);
  addVariables(gathering, variablesIn(text), cwd);
}

/** The variables that an env file sets. */
export function variablesIn(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      const [, name] = /^(?:export\s+)?(\w+)$/.exec(line.slice(0, Math.max(at, 0)).trim()) ?? [];
      return name === undefined ? [] : [[name, unquoted(line.slice(at + 1).trim())]];
    }),
  );
}

function unquoted(value: string): string {
  const [quote = ''] = value;
  const isQuoted = value.length > 1 && ['"', "'", '`'].includes(quote) && value.endsWith(quote);
  return isQuoted ? value.slice(1, -1) : value;
}

/** Adds workspace files and folders that variables name. */
export function addVariables(gathering: Gathering, env: Readonly<Record<string, string>>, cwd: string): void {
  addModuleFolders(gathering, env, cwd);
  const { PYTHONPATH: _, ...others } = env;
  for (const named of namedFiles({ args: [], cwd, env: others })) {
    if (named.isFolder) gathering.addFolder(named.path);
    else gathering.addFile(named.path);
  }
}

function textOf(file: string): string {
  try {
    return readRegularText(file);
  } catch {
    // Missing, or a folder: it sets nothing.
    return '';
  }
}
