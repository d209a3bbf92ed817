import { CannotRead, type ClientPlace, type Section } from './client.js';

/** How a client writes references to variables. */
export interface Notation {
  readonly pattern: RegExp;
  /** The reference in our notation; undefined if it is not a reference. */
  meaning(match: RegExpMatchArray, around: Around): string | undefined;
}

export interface Around {
  readonly place: ClientPlace;
  readonly section: Section;
}

/** Translates a client's text: references become `${NAME}`, and text that only looks like one is escaped. */
export function translate(text: string, notation: Notation, around: Around): string {
  let ours = '';
  let at = 0;
  for (const { match, index } of matchesIn(text, notation.pattern)) {
    const meaning = notation.meaning(match, around);
    if (meaning === undefined) continue;
    ours += escaped(text.slice(at, index));
    // `$${` is an escaped `${`, so a dollar sign cannot come right before a reference.
    if (ours.endsWith('$') && meaning.startsWith('${'))
      throw new CannotRead('has a $ right before a reference');
    ours += meaning;
    at = index + match[0].length;
  }
  return ours + escaped(text.slice(at));
}

interface Match {
  readonly match: RegExpMatchArray;
  readonly index: number;
}

/** No brace closes after the last `}`; scanning from each `{` there would take quadratic time. */
function matchesIn(text: string, pattern: RegExp): readonly Match[] {
  const cut = text.lastIndexOf('}') + 1;
  const rest = text.slice(cut).replaceAll('{', ' ');
  return [
    ...Array.from(text.slice(0, cut).matchAll(pattern), (match) => ({ match, index: match.index })),
    ...Array.from(rest.matchAll(pattern), (match) => ({ match, index: cut + match.index })),
  ];
}

function escaped(text: string): string {
  return text.replaceAll('${', () => '$${');
}

/** A valid variable name made from the text. */
export function variableName(text: string): string {
  const name = without(text.replace(/[^A-Za-z0-9_]+/g, '_'), '_').toUpperCase();
  return /^[A-Z_]/.test(name) ? name : `_${name}`;
}

/** Trims the character from both ends. A pattern such as `_+$` would take quadratic time. */
export function without(text: string, sign: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text[start] === sign) start += 1;
  while (end > start && text[end - 1] === sign) end -= 1;
  return text.slice(start, end);
}

export function reference(name: string, fallback?: string): string {
  const own = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : variableName(name);
  return fallback === undefined ? `\${${own}}` : `\${${own}:-${fallback}}`;
}

const never = /(?!)/g;

/** The client takes text literally. */
export const literal: Notation = { pattern: never, meaning: () => undefined };

/** `${NAME}` and `${NAME:-default}`. */
export const shellLike: Notation = {
  pattern: /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
  meaning: ([, name = '', fallback]) => reference(name, fallback),
};

/** `$NAME`, `${NAME}` and `${NAME:-default}`. */
export const dollar: Notation = {
  pattern: /\$(?:(\w+)|\{([^}]+?)(?::-([^}]*))?\})/g,
  meaning: ([, bare, braced, fallback]) => reference(bare ?? braced ?? '', fallback),
};

/** `${env:NAME}`, `${input:id}`, `${workspaceFolder}` and similar, as in editors. */
export const editor: Notation = {
  pattern: /\$\{([^}]+)\}/g,
  meaning([, variable = ''], { place, section }) {
    const [kind = '', ...rest] = variable.split(':');
    const name = rest.join(':');
    if ((kind === 'env' || kind === 'input') && name !== '')
      return reference(kind === 'env' ? name : variableName(name));
    const folder = section.folder ?? place.folders[0];
    if (variable === 'userHome') return escaped(place.home);
    if (variable === 'workspaceFolder' && folder !== undefined) return escaped(folder);
    if (variable === 'workspaceFolderBasename' && folder !== undefined)
      return escaped(folder.split(/[\\/]/).at(-1) ?? '');
    if (variable === 'pathSeparator' || variable === '/') return place.platform === 'win32' ? '\\' : '/';
    throw new CannotRead(`uses \${${kind}}, which only the editor can resolve`);
  },
};

/** `{env:NAME}` and `{file:path}`. */
export const braces: Notation = {
  pattern: /\{(env|file):([^}]+)\}/g,
  meaning([, kind, name = '']) {
    if (kind === 'file') throw new CannotRead('reads a value from a file: set that value by hand');
    return reference(name.trim());
  },
};
