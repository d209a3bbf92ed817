/** A TOML table from its header to its last line. */
export interface TomlTable {
  readonly path: readonly string[];
  readonly isArray: boolean;
  readonly from: number;
  readonly to: number;
}

/**
 * The tables of valid TOML text. Comments above a header belong to the next table, so a table ends with its last value
 * and the empty lines right after it.
 */
export function tomlTables(text: string): readonly TomlTable[] {
  const tables: { path: readonly string[]; isArray: boolean; from: number; to: number }[] = [];
  for (const { from, to, isInside } of linesOf(text)) {
    const line = text.slice(from, to);
    const header = isInside ? undefined : headerOf(line);
    const last = tables.at(-1);
    if (header !== undefined) tables.push({ ...header, from, to });
    else if (last !== undefined && belongs(line, isInside, last.to === from)) last.to = to;
  }
  return tables;
}

/** Only empty lines right after a value belong to the table; comments never do. */
function belongs(line: string, isInside: boolean, isNext: boolean): boolean {
  const isComment = !isInside && line.trimStart().startsWith('#');
  const isEmpty = !isInside && line.trim() === '';
  return isEmpty ? isNext : !isComment;
}

interface Line {
  readonly from: number;
  readonly to: number;
  /** Whether the line begins inside a multi-line value. */
  readonly isInside: boolean;
}

function* linesOf(text: string): Generator<Line> {
  const state = { quote: '', depth: 0 };
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf('\n', from);
    const to = found === -1 ? text.length : found + 1;
    const isInside = state.quote !== '' || state.depth > 0;
    yield { from, to, isInside };
    // The brackets of a header do not count.
    if (isInside || headerOf(text.slice(from, to)) === undefined) follow(text.slice(from, to), state);
    from = to;
  }
}

/** Tracks multi-line strings and open brackets. */
function follow(line: string, state: { quote: string; depth: number }): void {
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? '';
    const triple = line.slice(at, at + 3);
    if (state.quote !== '') {
      if (char === '\\' && state.quote.startsWith('"')) at += 1;
      else if (line.startsWith(state.quote, at)) {
        at += state.quote.length - 1;
        state.quote = '';
      }
    } else if (triple === '"""' || triple === "'''") {
      state.quote = triple;
      at += 2;
    } else if (char === '"' || char === "'") state.quote = char;
    else if (char === '[' || char === '{') state.depth += 1;
    else if (char === ']' || char === '}') state.depth -= 1;
    else if (char === '#') break;
  }
  // Only triple-quoted strings continue on the next line.
  if (state.quote.length === 1) state.quote = '';
}

const keyPart = `\\s*(?:"(?:[^"\\\\]|\\\\.)*"|'[^']*'|[A-Za-z0-9_-]+)\\s*`;
const headerShape = new RegExp(
  `^[\\t ]*(\\[\\[?)(${keyPart}(?:\\.${keyPart})*)\\]\\]?[\\t ]*(?:#.*)?\\r?\\n?$`,
);

function headerOf(line: string): { readonly path: readonly string[]; readonly isArray: boolean } | undefined {
  const [, open, keys] = headerShape.exec(line) ?? [];
  if (open === undefined || keys === undefined) return undefined;
  const parts = keys.match(new RegExp(keyPart, 'g')) ?? [];
  return { isArray: open === '[[', path: parts.map((part) => keyOf(part.trim())) };
}

function keyOf(part: string): string {
  if (part.startsWith("'")) return part.slice(1, -1);
  if (!part.startsWith('"')) return part;
  try {
    return String(JSON.parse(part));
  } catch {
    // A TOML-only escape: no table we look for has one.
    return part;
  }
}
