import { isAbsolute, relative, sep } from 'node:path';

const maxShown = 300;
// Control characters, and those that turn the direction of what follows: a name must not rewrite the text around it.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** A name as it may stand in a text for people and models. */
export function shown(name: string): string {
  const short = name.length > maxShown ? `${name.slice(0, maxShown)}…` : name;
  return short.replace(unsafe, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** True for the folder itself and everything in it. A neighbour whose name begins alike is not in it. */
export function isInside(path: string, folder: string): boolean {
  const end = folder.endsWith(sep) ? folder : folder + sep;
  return path === folder || path.startsWith(end);
}

/** The path as callers know it: relative to the first root, with slashes, or absolute in any other root. */
export function pathForCallers(path: string, roots: readonly string[]): string {
  const [first] = roots;
  if (first === undefined || !isInside(path, first)) return path;
  const inside = relative(first, path);
  if (inside === '' || isAbsolute(inside)) return inside === '' ? '.' : path;
  return sep === '/' ? inside : inside.replaceAll(sep, '/');
}

/** False when the text holds half of a surrogate pair, which no encoding but UTF-16 can store. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
