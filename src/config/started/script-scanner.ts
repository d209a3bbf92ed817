/** A string literal without escapes, on one line. */
export interface Literal {
  readonly value: string;
  /** The position after its closing quote. */
  readonly end: number;
  /** Whether it may be put together from parts (`${…}`). */
  readonly isTemplate: boolean;
}

export interface Scanner {
  /** The position after white space and comments. */
  readonly skip: (at: number) => number;
  readonly stringAt: (at: number) => Literal | undefined;
  /**
   * The position of the matching bracket; undefined if there is none, or if brackets are nested more than one level
   * deep.
   */
  readonly closeOf: (open: number) => number | undefined;
}

/**
 * Reads JavaScript in linear time, even if the same position is requested many times, because agents write the text.
 */
export function createScanner(text: string): Scanner {
  const skipped = new Map<number, number>();
  const literals = new Map<number, Literal | undefined>();
  const nextClose = createFinder(text, '*/');
  const nextLine = createFinder(text, '\n');
  const commentEnd = (at: number): number | undefined => {
    if (text[at] !== '/') return undefined;
    if (text[at + 1] === '/') return nextLine(at + 2) ?? text.length;
    const close = text[at + 1] === '*' ? nextClose(at + 2) : undefined;
    return close === undefined ? undefined : close + 2;
  };
  const skip = (start: number): number => {
    const passed: number[] = [];
    let at = start;
    for (;;) {
      const known = skipped.get(at);
      if (known !== undefined) {
        at = known;
        break;
      }
      passed.push(at);
      while (isSpace(text[at])) at += 1;
      const end = commentEnd(at);
      if (end === undefined) break;
      passed.push(at);
      at = end;
    }
    for (const one of passed) skipped.set(one, at);
    return at;
  };
  return {
    skip,
    stringAt(at) {
      if (!literals.has(at)) literals.set(at, readLiteral(text, at));
      return literals.get(at);
    },
    closeOf(open) {
      let depth = 0;
      for (let at = open; at < text.length; at += 1) {
        if (text[at] === '(') depth += 1;
        else if (text[at] === ')') depth -= 1;
        if (depth === 0) return at;
        if (depth > 2) return undefined;
      }
      return undefined;
    },
  };
}

function readLiteral(text: string, start: number): Literal | undefined {
  const quote = text[start];
  if (quote !== "'" && quote !== '"' && quote !== '`') return undefined;
  let isTemplate = false;
  for (let at = start + 1; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === quote)
      return at === start + 1 ? undefined : { value: text.slice(start + 1, at), end: at + 1, isTemplate };
    if (sign === '\\' || sign === '\n') return undefined;
    if (sign === '$' && text[at + 1] === '{') isTemplate = true;
  }
  return undefined;
}

function isSpace(sign: string | undefined): boolean {
  return sign !== undefined && (sign === ' ' || sign === '\n' || /\s/.test(sign));
}

/** Finds the next occurrence of a mark, and remembers the range it searched last. */
function createFinder(text: string, mark: string): (from: number) => number | undefined {
  let start = 0;
  let found = -2;
  return (from) => {
    const isKnown = found !== -2 && from >= start && (found === -1 || from <= found);
    if (!isKnown) {
      start = from;
      found = text.indexOf(mark, from);
    }
    return found === -1 ? undefined : found;
  };
}
