import { type Expression, ExpressionError } from './expression.js';
import { functions } from './functions.js';
import { noFunction } from '../template/no-function.js';
import { createTokenReader, type Token, type TokenReader, unexpected } from './tokens.js';

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
  const tokens = createTokenReader(text);
  const expression = parse(tokens, 0, 0);
  if (tokens.peek().kind !== 'end') throw unexpected(tokens.peek());
  return expression;
}

function parse(tokens: TokenReader, strength: number, depth: number): Expression {
  if (depth > deepest)
    throw new ExpressionError('The expression is nested too deeply.', tokens.peek().offset);
  let left = first(tokens, depth);
  for (;;) {
    const { kind, text: sign } = tokens.peek();
    if (kind === 'text' || kind === 'number' || kind === 'end') break;
    if (sign === '?' && strength <= 1) {
      tokens.skip();
      const then = parse(tokens, 0, depth + 1);
      tokens.need(':');
      left = { kind: 'choice', when: left, then, otherwise: parse(tokens, 0, depth + 1) };
      continue;
    }
    const isNegated = sign === 'not' && tokens.peek(1).text === 'in';
    const found = isNegated ? 'in' : sign;
    const binds = Object.hasOwn(strengths, found) ? (strengths[found] ?? 0) : 0;
    if (binds === 0 || binds < strength) break;
    tokens.skip(isNegated ? 2 : 1);
    const right = parse(tokens, binds + 1, depth + 1);
    const binary: Expression = { kind: 'binary', sign: found, left, right };
    left = isNegated ? { kind: 'unary', sign: 'not', of: binary } : binary;
  }
  return left;
}

function first(tokens: TokenReader, depth: number): Expression {
  let found = primary(tokens, depth);
  while (tokens.isSign('[')) {
    tokens.skip();
    const key = parse(tokens, 0, depth + 1);
    tokens.need(']');
    found = { kind: 'member', of: found, key };
  }
  return found;
}

function list(tokens: TokenReader, close: string, depth: number): readonly Expression[] {
  const items: Expression[] = [];
  while (!tokens.isSign(close)) {
    items.push(parse(tokens, 0, depth + 1));
    if (!tokens.isSign(',')) break;
    tokens.skip();
  }
  tokens.need(close);
  return items;
}

function primary(tokens: TokenReader, depth: number): Expression {
  const token = tokens.take();
  if (token.kind === 'number') return { kind: 'value', value: Number(token.text) };
  if (token.kind === 'text') return { kind: 'value', value: unquoted(token) };
  if (token.text === '!' || token.text === 'not')
    return { kind: 'unary', sign: 'not', of: parse(tokens, 5, depth + 1) };
  if (token.text === '-') return { kind: 'unary', sign: '-', of: parse(tokens, 10, depth + 1) };
  if (token.text === '(') {
    const inner = parse(tokens, 0, depth + 1);
    tokens.need(')');
    return inner;
  }
  if (token.text === '[') return { kind: 'list', items: list(tokens, ']', depth) };
  if (token.kind !== 'name') throw unexpected(token);
  return named(tokens, token, depth);
}

function named(tokens: TokenReader, { text: word, offset }: Token, depth: number): Expression {
  if (word === 'true' || word === 'false') return { kind: 'value', value: word === 'true' };
  if (word === 'nil' || word === 'null') return { kind: 'value', value: null };
  if (!tokens.isSign('(')) return { kind: 'name', path: word.split('.'), offset };
  if (!Object.hasOwn(functions, word)) {
    throw new ExpressionError(noFunction(word, Object.keys(functions)), offset);
  }
  tokens.skip();
  return { kind: 'call', name: word, of: list(tokens, ')', depth) };
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
