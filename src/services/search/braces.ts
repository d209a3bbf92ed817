import { badGlob } from './failures.js';

const maxAlternatives = 256;

/** Expands `{a,b}c` to `ac` and `bc`. Escapes and character sets stay unchanged. */
export function expandBraces(pattern: string): readonly string[] {
  const group = findGroup(pattern);
  if (group === undefined) return [pattern];
  const { open, commas, close } = group;
  const ends = [...commas, close];
  const parts = ends.map((end, index) => pattern.slice((ends[index - 1] ?? open) + 1, end));
  const middles = parts.flatMap(expandBraces);
  const tails = expandBraces(pattern.slice(close + 1));
  if (middles.length * tails.length > maxAlternatives)
    throw badGlob(pattern, `has more than ${maxAlternatives} alternatives in its braces`);
  const head = pattern.slice(0, open);
  return middles.flatMap((middle) => tails.map((tail) => head + middle + tail));
}

/** Splits at commas outside braces and sets. */
export function splitAtCommas(text: string): readonly string[] {
  const commas: number[] = [];
  scan(text, (char, at, depth) => {
    if (char === ',' && depth === 0) commas.push(at);
    return false;
  });
  const ends = [...commas, text.length];
  const parts = ends.map((end, index) => text.slice((ends[index - 1] ?? -1) + 1, end).trim());
  return parts.filter((part) => part !== '');
}

interface Group {
  readonly open: number;
  readonly commas: readonly number[];
  readonly close: number;
}

function findGroup(pattern: string): Group | undefined {
  const commas: number[] = [];
  let open = -1;
  let close = -1;
  scan(pattern, (char, at, depth) => {
    if (char === '{' && depth === 1) open = at;
    else if (char === ',' && depth === 1) commas.push(at);
    else if (char === '}' && depth === 0 && open !== -1) close = at;
    return close !== -1;
  });
  if (open === -1) return undefined;
  if (close === -1) throw badGlob(pattern, 'has a { without its }');
  return { open, commas, close };
}

/** Visits characters that are neither escaped nor in a set; `depth` counts the open braces after the character. */
function scan(text: string, visit: (char: string, at: number, depth: number) => boolean): void {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '[') at = Math.max(at, endOfSet(text, at));
    else {
      if (char === '{') depth += 1;
      if (char === '}') depth = Math.max(0, depth - 1);
      if (visit(char, at, depth)) return;
    }
  }
}

/** The position of the `]` that ends a set, or -1. A `]` right at the start is a member. */
export function endOfSet(text: string, open: number): number {
  let at = open + 1;
  if (text[at] === '!' || text[at] === '^') at += 1;
  for (let isFirst = true; at < text.length; at += 1, isFirst = false) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === ']' && !isFirst) return at;
  }
  return -1;
}
