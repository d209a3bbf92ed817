/** A regular expression as a tree. Greedy and lazy are kept because captures depend on them. */
export type PatternNode =
  | { readonly kind: 'char'; readonly source: string }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'group'; readonly index: number; readonly of: PatternNode }
  | {
      readonly kind: 'look';
      readonly isBehind: boolean;
      readonly isNegated: boolean;
      readonly of: PatternNode;
    }
  | { readonly kind: 'back'; readonly to: number | string }
  | RepeatNode;

export type Edge = 'start' | 'end' | 'word' | 'not_word';

export interface RepeatNode {
  readonly kind: 'repeat';
  readonly least: number;
  readonly most: number;
  readonly isLazy: boolean;
  readonly of: PatternNode;
}

export interface ParsedPattern {
  readonly root: PatternNode;
  readonly names: ReadonlyMap<string, number>;
  readonly groups: number;
}

const mostDepth = 200;
const escape =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|.)/suy;
const groupOpening = /\((?:\?(?:(:)|(<?[=!])|<([^>=!][^>]*)>))?/uy;
const quantifier = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})(\??)/uy;
const edges: Readonly<Record<string, Edge>> = { '^': 'start', $: 'end', '\\b': 'word', '\\B': 'not_word' };

/** Parses a source that `new RegExp(source, 'u')` accepts. Undefined for unsupported syntax. */
export function parsePattern(source: string): ParsedPattern | undefined {
  const names = new Map<string, number>();
  let at = 0;
  let groups = 0;
  let depth = 0;

  const take = (shape: RegExp): RegExpExecArray | undefined => {
    shape.lastIndex = at;
    const found = shape.exec(source) ?? undefined;
    if (found !== undefined) at += found[0].length;
    return found;
  };

  function choice(): PatternNode | undefined {
    const parts: PatternNode[] = [];
    do {
      if (parts.length > 0) at += 1;
      const part = sequence();
      if (part === undefined) return undefined;
      parts.push(part);
    } while (source[at] === '|');
    return parts.length === 1 ? parts[0] : { kind: 'choice', parts };
  }

  function sequence(): PatternNode | undefined {
    const parts: PatternNode[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      const part = atom();
      if (part === undefined) return undefined;
      parts.push(repeated(part));
    }
    return { kind: 'sequence', parts };
  }

  function repeated(of: PatternNode): PatternNode {
    const found = take(quantifier);
    if (found === undefined) return of;
    const [, sign, first = '', comma, last = '', lazy] = found;
    const least = sign === undefined ? Number(first) : sign === '+' ? 1 : 0;
    const unsigned = comma === undefined ? least : last === '' ? Number.POSITIVE_INFINITY : Number(last);
    const most = sign === undefined ? unsigned : sign === '?' ? 1 : Number.POSITIVE_INFINITY;
    return { kind: 'repeat', least, most, isLazy: lazy === '?', of };
  }

  function atom(): PatternNode | undefined {
    const char = source[at];
    if (char === '(') return group();
    if (char === '\\') return escaped();
    const found = take(char === '[' ? /\[(?:\\.|[^\]\\])*\]/suy : /./suy)?.[0] ?? '';
    const edge = edges[found];
    return edge === undefined ? { kind: 'char', source: found } : { kind: 'edge', edge };
  }

  function escaped(): PatternNode {
    const number = take(/\\([1-9]\d*)/uy)?.[1];
    if (number !== undefined) return { kind: 'back', to: Number(number) };
    const name = take(/\\k<([^>]*)>/uy)?.[1];
    if (name !== undefined) return { kind: 'back', to: name };
    const found = take(escape)?.[0] ?? '';
    const edge = edges[found];
    return edge === undefined ? { kind: 'char', source: found } : { kind: 'edge', edge };
  }

  function group(): PatternNode | undefined {
    const [opening = '', plain, look, name] = take(groupOpening) ?? [];
    // `(?i:…)` and future syntax.
    if (depth === mostDepth || (opening === '(' && source[at] === '?')) return undefined;
    const isCounted = plain === undefined && look === undefined;
    if (isCounted) groups += 1;
    const index = groups;
    if (name !== undefined) names.set(name, index);
    depth += 1;
    const of = choice();
    depth -= 1;
    at += 1;
    if (of === undefined) return undefined;
    if (look !== undefined)
      return { kind: 'look', isBehind: look.startsWith('<'), isNegated: look.endsWith('!'), of };
    return isCounted ? { kind: 'group', index, of } : of;
  }

  const root = choice();
  return root && { root, names, groups };
}
