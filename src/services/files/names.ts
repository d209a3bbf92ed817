import { isAbsolute, relative, sep } from 'node:path';

const maxShown = 300;
// Control and direction-changing characters: a name must not rewrite the text around it.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** A name that is safe to show to people and models. */
export function shown(name: string): string {
  const short = name.length > maxShown ? `${name.slice(0, maxShown)}…` : name;
  return short.replace(unsafe, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** True for the folder and everything in it, but not for a sibling whose name starts the same. */
export function isInside(path: string, folder: string): boolean {
  const end = folder.endsWith(sep) ? folder : folder + sep;
  return path === folder || path.startsWith(end);
}

/** The path shown to callers: relative to the first root, with slashes, or absolute in any other root. */
export function pathForCallers(path: string, roots: readonly string[]): string {
  const [first] = roots;
  if (first === undefined || !isInside(path, first)) return path;
  const inside = relative(first, path);
  if (inside === '' || isAbsolute(inside)) return inside === '' ? '.' : path;
  return sep === '/' ? inside : inside.replaceAll(sep, '/');
}

/** False if the text contains half of a surrogate pair, which only UTF-16 can store. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
