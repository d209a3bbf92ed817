import { endOfSet } from './braces.js';
import { badGlob } from './failures.js';

/** The pattern of one name between two slashes. */
export interface NamePattern {
  /** The only name that matches, if there is just one. */
  readonly literal: string | undefined;
  /** The ending of every matching name, if nothing else is required. */
  readonly suffix: string | undefined;
  /** Whether every name matches. */
  readonly isAny: boolean;
  /** In ripgrep's syntax, and never stricter than `matches`. */
  readonly loose: string;
  matches(name: string): boolean;
}

type Part =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'many' }
  | { readonly kind: 'set'; readonly isNegated: boolean; readonly ranges: readonly Range[] };
type Range = readonly [first: string, last: string];

/** Not a regular expression: matching takes at most pattern length × name length steps. */
export function parseName(text: string): NamePattern {
  const parts = partsOf(text);
  const chars = parts.map((part) => (part.kind === 'char' ? part.char : undefined));
  const literal = chars.includes(undefined) ? undefined : chars.join('');
  const suffix =
    parts[0]?.kind === 'many' && !chars.slice(1).includes(undefined) ? chars.join('') : undefined;
  return {
    literal,
    suffix,
    isAny: suffix === '',
    loose: looseOf(parts),
    matches: (name) => {
      if (literal !== undefined) return name === literal;
      if (suffix !== undefined) return name.endsWith(suffix);
      return fits(Array.from(name), parts);
    },
  };
}

function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  const chars = Array.from(text);
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    if (char === '*') {
      if (parts.at(-1)?.kind !== 'many') parts.push({ kind: 'many' });
    } else if (char === '?') parts.push({ kind: 'any' });
    else if (char === '[') {
      const rest = chars.slice(at).join('');
      const end = endOfSet(rest, 0);
      if (end === -1) throw badGlob(text, 'has a [ without its ]');
      parts.push(setOf(rest.slice(1, end)));
      at += Array.from(rest.slice(0, end)).length;
    } else if (char === '\\' && at + 1 < chars.length) {
      at += 1;
      parts.push({ kind: 'char', char: chars[at] ?? '' });
    } else parts.push({ kind: 'char', char });
  }
  return parts;
}

function setOf(text: string): Part {
  const isNegated = text.startsWith('!') || text.startsWith('^');
  const chars = Array.from(text.slice(isNegated ? 1 : 0).replace(/\\(.)/gsu, '$1'));
  const ranges: Range[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const first = chars[at] ?? '';
    const last = chars[at + 2];
    if (chars[at + 1] === '-' && last !== undefined) {
      ranges.push([first, last]);
      at += 2;
    } else ranges.push([first, first]);
  }
  return { kind: 'set', isNegated, ranges };
}

/** Goes back to the last `*` only: it can take whatever an earlier one could. */
function fits(name: readonly string[], parts: readonly Part[]): boolean {
  let part = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < name.length) {
    const wanted = parts[part];
    if (wanted?.kind === 'many') {
      star = part;
      starAt = at;
      part += 1;
    } else if (wanted !== undefined && takes(wanted, name[at] ?? '')) {
      part += 1;
      at += 1;
    } else if (star !== -1) {
      starAt += 1;
      at = starAt;
      part = star + 1;
    } else return false;
  }
  return parts.slice(part).every(({ kind }) => kind === 'many');
}

function takes(part: Part, char: string): boolean {
  if (part.kind === 'char') return part.char === char;
  if (part.kind !== 'set') return true;
  const code = char.codePointAt(0) ?? 0;
  const isMember = part.ranges.some(
    ([first, last]) => (first.codePointAt(0) ?? 0) <= code && code <= (last.codePointAt(0) ?? 0),
  );
  return isMember !== part.isNegated;
}

/** Only letters, digits and a few signs mean the same in every dialect; the rest becomes a wildcard. */
function looseOf(parts: readonly Part[]): string {
  const texts = parts.map((part) =>
    part.kind === 'char' && /^[A-Za-z0-9._ ~@+=-]$/.test(part.char) ? part.char : '*',
  );
  return texts.join('').replace(/\*+/g, '*');
}
