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
  return new Parser(source).parse();
}

class Parser {
  readonly #source: string;
  readonly #names = new Map<string, number>();
  #at = 0;
  #groups = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): ParsedPattern | undefined {
    const root = this.#choice();
    return root && { root, names: this.#names, groups: this.#groups };
  }

  #choice(): PatternNode | undefined {
    const parts: PatternNode[] = [];
    do {
      if (parts.length > 0) this.#at += 1;
      const part = this.#sequence();
      if (part === undefined) return undefined;
      parts.push(part);
    } while (this.#source[this.#at] === '|');
    return parts.length === 1 ? parts[0] : { kind: 'choice', parts };
  }

  #sequence(): PatternNode | undefined {
    const parts: PatternNode[] = [];
    while (
      this.#at < this.#source.length &&
      this.#source[this.#at] !== '|' &&
      this.#source[this.#at] !== ')'
    ) {
      const part = this.#atom();
      if (part === undefined) return undefined;
      parts.push(this.#repeated(part));
    }
    return { kind: 'sequence', parts };
  }

  #repeated(of: PatternNode): PatternNode {
    const found = this.#take(quantifier);
    if (found === undefined) return of;
    const [, sign, first = '', comma, last = '', lazy] = found;
    const least = sign === undefined ? Number(first) : sign === '+' ? 1 : 0;
    const unsigned = comma === undefined ? least : last === '' ? Number.POSITIVE_INFINITY : Number(last);
    const most = sign === undefined ? unsigned : sign === '?' ? 1 : Number.POSITIVE_INFINITY;
    return { kind: 'repeat', least, most, isLazy: lazy === '?', of };
  }

  #atom(): PatternNode | undefined {
    const char = this.#source[this.#at];
    if (char === '(') return this.#group();
    if (char === '\\') return this.#escaped();
    const found = this.#take(char === '[' ? /\[(?:\\.|[^\]\\])*\]/suy : /./suy)?.[0] ?? '';
    const edge = edges[found];
    return edge === undefined ? { kind: 'char', source: found } : { kind: 'edge', edge };
  }

  #escaped(): PatternNode {
    const number = this.#take(/\\([1-9]\d*)/uy)?.[1];
    if (number !== undefined) return { kind: 'back', to: Number(number) };
    const name = this.#take(/\\k<([^>]*)>/uy)?.[1];
    if (name !== undefined) return { kind: 'back', to: name };
    const found = this.#take(escape)?.[0] ?? '';
    const edge = edges[found];
    return edge === undefined ? { kind: 'char', source: found } : { kind: 'edge', edge };
  }

  #group(): PatternNode | undefined {
    const [opening = '', plain, look, name] = this.#take(groupOpening) ?? [];
    // `(?i:…)` and future syntax.
    if (this.#depth === mostDepth || (opening === '(' && this.#source[this.#at] === '?')) return undefined;
    const isCounted = plain === undefined && look === undefined;
    if (isCounted) this.#groups += 1;
    const index = this.#groups;
    if (name !== undefined) this.#names.set(name, index);
    this.#depth += 1;
    const of = this.#choice();
    this.#depth -= 1;
    this.#at += 1;
    if (of === undefined) return undefined;
    if (look !== undefined)
      return { kind: 'look', isBehind: look.startsWith('<'), isNegated: look.endsWith('!'), of };
    return isCounted ? { kind: 'group', index, of } : of;
  }

  #take(shape: RegExp): RegExpExecArray | undefined {
    shape.lastIndex = this.#at;
    const found = shape.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }
}
