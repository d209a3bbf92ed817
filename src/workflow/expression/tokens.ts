import { ExpressionError } from './expression.js';

export interface Token {
  readonly kind: 'number' | 'text' | 'name' | 'sign' | 'end';
  readonly text: string;
  readonly offset: number;
}

/** The words of an expression, read one after the other. */
export interface TokenReader {
  /** The next token, or the one after it with `ahead`. At the end: a token of kind `end`. */
  peek(ahead?: number): Token;
  take(): Token;
  skip(count?: number): void;
  isSign(sign: string): boolean;
  /** Skips this sign. Throws if another token is next. */
  need(sign: string): void;
}

const shape =
  /\s*(?:(\d+(?:\.\d+)?)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)|([A-Za-z_]\w*(?:-[A-Za-z_]\w*)*(?:\.[A-Za-z_]\w*(?:-[A-Za-z_]\w*)*)*)|(\*\*|\+\+|==|!=|<=|>=|&&|\|\||\?\?|[-+*/%<>!()[\],?:]))/y;

export function createTokenReader(text: string): TokenReader {
  const tokens = tokensOf(text);
  let at = 0;
  const peek = (ahead = 0): Token => tokens[at + ahead] ?? end(text);
  const isSign = (sign: string): boolean => peek().kind !== 'text' && peek().text === sign;
  return {
    peek,
    isSign,
    take() {
      const token = peek();
      at += 1;
      return token;
    },
    skip(count = 1) {
      at += count;
    },
    need(sign) {
      if (!isSign(sign)) throw unexpected(peek(), sign);
      at += 1;
    },
  };
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.trimEnd().length; ) {
    shape.lastIndex = at;
    const found = shape.exec(text);
    if (found === null) {
      const space = /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
      const sign = text[at + space];
      const hint = sign === '=' ? ' Use == to compare.' : '';
      throw new ExpressionError(`Unexpected ${JSON.stringify(sign)}.${hint}`, at + space);
    }
    const [whole, number, string, name, sign] = found;
    const word = number ?? string ?? name ?? sign ?? '';
    const kind =
      number !== undefined ? 'number' : string !== undefined ? 'text' : name !== undefined ? 'name' : 'sign';
    tokens.push({ kind, text: word, offset: at + whole.length - word.length });
    at += whole.length;
  }
  return tokens;
}

function end(text: string): Token {
  return { kind: 'end', text: '', offset: text.length };
}

export function unexpected({ kind, text, offset }: Token, wanted?: string): ExpressionError {
  const found = kind === 'end' ? 'The expression ends unexpectedly' : `Unexpected ${JSON.stringify(text)}`;
  return new ExpressionError(`${found}${wanted === undefined ? '' : `: expected "${wanted}"`}.`, offset);
}
