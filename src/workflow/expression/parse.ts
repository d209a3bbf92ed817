import { type Expression, ExpressionError } from './expression.js';
import { functions } from './functions.js';
import { noFunction } from '../template/no-function.js';

interface Token {
  readonly kind: 'number' | 'text' | 'name' | 'sign' | 'end';
  readonly text: string;
  readonly offset: number;
}

const shape =
  /\s*(?:(\d+(?:\.\d+)?)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)|([A-Za-z_]\w*(?:-[A-Za-z_]\w*)*(?:\.[A-Za-z_]\w*(?:-[A-Za-z_]\w*)*)*)|(\*\*|\+\+|==|!=|<=|>=|&&|\|\||\?\?|[-+*/%<>!()[\],?:]))/y;

/** Operator precedence, for symbols and words. */
const strengths: Readonly<Record<string, number>> = {
  '??': 2,
  '||': 3,
  or: 3,
  '&&': 4,
  and: 4,
  '==': 6,
  '!=': 6,
  '<': 7,
  '<=': 7,
  '>': 7,
  '>=': 7,
  in: 7,
  contains: 7,
  startsWith: 7,
  endsWith: 7,
  matches: 7,
  '+': 8,
  '-': 8,
  '*': 9,
  '/': 9,
  '%': 9,
};
const longest = 10_000;
const deepest = 100;

/** Parses an expression. Throws an ExpressionError with the position and the reason. */
export function parseExpression(text: string): Expression {
  if (text.length > longest) throw new ExpressionError('The expression is too long.');
  const tokens = tokensOf(text);
  let at = 0;
  const peek = (): Token => tokens[at] ?? end(text);
  const take = (): Token => {
    const token = peek();
    at += 1;
    return token;
  };
  const isSign = (sign: string): boolean => peek().kind !== 'text' && peek().text === sign;
  const need = (sign: string): void => {
    if (!isSign(sign)) throw unexpected(peek(), sign);
    at += 1;
  };

  function parse(strength: number, depth: number): Expression {
    if (depth > deepest) throw new ExpressionError('The expression is nested too deeply.', peek().offset);
    let left = first(depth);
    for (;;) {
      const { kind, text: sign } = peek();
      if (kind === 'text' || kind === 'number' || kind === 'end') break;
      if (sign === '?' && strength <= 1) {
        at += 1;
        const then = parse(0, depth + 1);
        need(':');
        left = { kind: 'choice', when: left, then, otherwise: parse(0, depth + 1) };
        continue;
      }
      const isNegated = sign === 'not' && tokens[at + 1]?.text === 'in';
      const found = isNegated ? 'in' : sign;
      const binds = Object.hasOwn(strengths, found) ? (strengths[found] ?? 0) : 0;
      if (binds === 0 || binds < strength) break;
      at += isNegated ? 2 : 1;
      const right = parse(binds + 1, depth + 1);
      const binary: Expression = { kind: 'binary', sign: found, left, right };
      left = isNegated ? { kind: 'unary', sign: 'not', of: binary } : binary;
    }
    return left;
  }

  function first(depth: number): Expression {
    let found = primary(depth);
    while (isSign('[')) {
      at += 1;
      const key = parse(0, depth + 1);
      need(']');
      found = { kind: 'member', of: found, key };
    }
    return found;
  }

  function list(close: string, depth: number): readonly Expression[] {
    const items: Expression[] = [];
    while (!isSign(close)) {
      items.push(parse(0, depth + 1));
      if (!isSign(',')) break;
      at += 1;
    }
    need(close);
    return items;
  }

  function primary(depth: number): Expression {
    const token = take();
    if (token.kind === 'number') return { kind: 'value', value: Number(token.text) };
    if (token.kind === 'text') return { kind: 'value', value: unquoted(token) };
    if (token.text === '!' || token.text === 'not')
      return { kind: 'unary', sign: 'not', of: parse(5, depth + 1) };
    if (token.text === '-') return { kind: 'unary', sign: '-', of: parse(10, depth + 1) };
    if (token.text === '(') {
      const inner = parse(0, depth + 1);
      need(')');
      return inner;
    }
    if (token.text === '[') return { kind: 'list', items: list(']', depth) };
    if (token.kind !== 'name') throw unexpected(token);
    return named(token, depth);
  }

  function named({ text: word, offset }: Token, depth: number): Expression {
    if (word === 'true' || word === 'false') return { kind: 'value', value: word === 'true' };
    if (word === 'nil' || word === 'null') return { kind: 'value', value: null };
    if (!isSign('(')) return { kind: 'name', path: word.split('.'), offset };
    if (!Object.hasOwn(functions, word)) {
      throw new ExpressionError(noFunction(word, Object.keys(functions)), offset);
    }
    at += 1;
    return { kind: 'call', name: word, of: list(')', depth) };
  }

  const expression = parse(0, 0);
  if (peek().kind !== 'end') throw unexpected(peek());
  return expression;
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

function unexpected({ kind, text, offset }: Token, wanted?: string): ExpressionError {
  const found = kind === 'end' ? 'The expression ends too early' : `Unexpected ${JSON.stringify(text)}`;
  return new ExpressionError(`${found}${wanted === undefined ? '' : `: expected "${wanted}"`}.`, offset);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unquoted({ text }: Token): string {
  const inner = text.slice(1, -1);
  if (text.startsWith('`')) return inner;
  return inner.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter);
}

/** All names an expression uses. */
export function namesIn(expression: Expression): readonly Extract<Expression, { readonly kind: 'name' }>[] {
  switch (expression.kind) {
    case 'name':
      return [expression];
    case 'value':
      return [];
    case 'list':
      return expression.items.flatMap(namesIn);
    case 'member':
      return [expression.of, expression.key].flatMap(namesIn);
    case 'unary':
      return namesIn(expression.of);
    case 'binary':
      return [expression.left, expression.right].flatMap(namesIn);
    case 'choice':
      return [expression.when, expression.then, expression.otherwise].flatMap(namesIn);
    case 'call':
      return expression.of.flatMap(namesIn);
  }
}
