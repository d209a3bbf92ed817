import { basename, dirname, resolve } from 'node:path';
import type { Gathering } from './cover.js';
import { isHarmless } from './harmless-commands.js';
import { runner, withoutKeywords } from './shell-lines.js';
import { commandsIn } from './shell-words.js';
import { statsOf } from './stats-of.js';
import { readRegularText } from './workspace-paths.js';

const followed = /\.(?:[cm]?[jt]sx?|py|json)$/;
const shellScript = /\.(?:sh|bash|zsh|ksh)$/;

/**
 * Adds the folder of each program that was found. If something runs that cannot be analyzed (a changed folder, make,
 * Perl, a computed name), adds everything in the working directories of the commands and in the roots.
 */
export function widen(
  gathering: Gathering,
  lines: readonly string[],
  cwds: readonly string[],
  roots: readonly string[],
): void {
  const found = gathering.cover();
  const programs = found.files.map(({ file }) => file).filter((file) => statsOf(file)?.isFile() === true);
  const known = new Set(programs);
  const isKnown = (path: string): boolean => known.has(path);
  const isClear = (text: string): boolean =>
    commandsIn(text)?.every((words) => isClearLine(words, cwds, isKnown)) === true;
  const canFollow =
    found.computed.length === 0 &&
    lines.every(isClear) &&
    programs.every((file) => followed.test(file) || (isShellScript(file) && isClear(bodyOf(file))));
  for (const file of programs) gathering.addTree(dirname(file));
  if (!canFollow) for (const folder of new Set([...cwds, ...roots])) gathering.addTree(folder);
}

function isClearLine(
  words: readonly string[],
  cwds: readonly string[],
  isKnown: (path: string) => boolean,
): boolean {
  const command = withoutKeywords(words);
  const [first = '', ...rest] = command;
  if (first === '' || isHarmless(command)) return true;
  const script = first.includes('/') ? first : runner.test(basename(first)) ? (rest[0] ?? '') : '';
  return (
    /^[\w./-]+$/.test(script) && !script.startsWith('-') && cwds.some((cwd) => isKnown(resolve(cwd, script)))
  );
}

function isShellScript(file: string): boolean {
  return shellScript.test(file) || /^#!.*\b(?:ba|z|da|k)?sh\b/.test(textOf(file).split('\n', 1)[0] ?? '');
}

function bodyOf(file: string): string {
  return textOf(file).replace(/^#!.*/, '');
}

function textOf(file: string): string {
  try {
    return readRegularText(file);
  } catch {
    // Deleted in the meantime, so assume the worst.
    return 'eval';
  }
}
