import { basename, resolve } from 'node:path';
import type { Gathering } from './cover.js';
import { javaScriptNames } from './module-names.js';
import { isIsolating } from './runtimes.js';
import { reachOfPython } from './python-reach.js';

const shell = /^(?:(?:ba|z|da|k|fi)?sh|pwsh)(?:\.exe)?$/;
const javaScript = /^(?:node|nodejs|bun|deno|tsx|electron)(?:\.exe)?$/;
const python = /^(?:python|pypy)[\d.]*(?:\.exe)?$/;
const javaScriptCode = /^(?:-e|-p|-pe|--eval|--print|eval)(?:=(.*))?$/s;
const pythonCode = /^-[bBdEhiIOPqsSuvx]*c(.*)$/s;
/** APIs that start other programs or run text as code. */
const starts = /\b(?:child_process|Worker|eval|Function|vm|process\.dlopen|Bun|Deno)\b/;

export function runsShell(words: readonly string[]): boolean {
  return words.some((word) => shell.test(basename(word)));
}

/**
 * Inline code resolves names from its working directory. If it loads anything that is not built in, the whole folder is
 * covered. If a shell gets a script instead, the script is noted, so that it is read as a shell script.
 */
export function addInlineCode(
  gathering: Gathering,
  words: readonly string[],
  bases: readonly string[],
): void {
  const runs = (pattern: RegExp): boolean => words.some((word) => pattern.test(basename(word)));
  const isLoading =
    (runs(javaScript) && codesIn(words, javaScriptCode).some(loadsJavaScript)) ||
    (runs(python) && codesIn(words, pythonCode).some((code) => loadsPython(code, words.some(isIsolating))));
  if (isLoading) gathering.addReach('cwd', bases);
  if (runsShell(words))
    for (const word of words.slice(1))
      for (const base of bases) if (!word.startsWith('-')) gathering.noteShell(resolve(base, word));
}

/** The code after its option, or in the same word. */
function codesIn(words: readonly string[], option: RegExp): readonly string[] {
  return words.flatMap((word, at) => {
    const found = option.exec(word);
    return found === null ? [] : [found[1] || (words[at + 1] ?? '')];
  });
}

function loadsJavaScript(code: string): boolean {
  const { paths, bare, isComputed } = javaScriptNames(code);
  return isComputed || paths.length > 0 || bare.length > 0 || starts.test(code);
}

/** Without `-I` and `-P`, the folder itself is on Python's path. */
function loadsPython(code: string, isIsolated: boolean): boolean {
  const starts = isIsolated ? /\b(?:subprocess|os|eval)\b/ : /\b(?:import|eval)\b/;
  return starts.test(code) || reachOfPython(code) !== 'nothing';
}
