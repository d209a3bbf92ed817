import { matchWithin } from '../../lib/pattern/match-within.js';
import { type Expression, ExpressionError, type Value } from './expression.js';
import { contains, functions, numberOf, textOf } from './functions.js';
import { parseExpression } from './parse.js';

export type Names = Readonly<Record<string, unknown>>;

/** Evaluates a condition. A missing value is false; a non-boolean value is an error. */
export function holds(text: string, names: Names): boolean {
  const value = evaluate(parseExpression(text), names);
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw new ExpressionError(
    `${JSON.stringify(text)} must be true or false, but is ${JSON.stringify(value)}.`,
  );
}

export function valueOfExpression(text: string, names: Names): unknown {
  return evaluate(parseExpression(text), names);
}

export function wholeNumber(text: string, names: Names, least: number, most: number): number {
  if (text.includes('++') || text.includes('**'))
    throw new ExpressionError('The operators ++ and ** are not supported.');
  const value = evaluate(parseExpression(text), names);
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most)
    return number;
  throw new ExpressionError(
    `${JSON.stringify(text)} evaluates to ${JSON.stringify(value ?? null)}, but must be a whole number from ${least} to ${most}.`,
  );
}

function evaluate(expression: Expression, names: Names): Value {
  switch (expression.kind) {
    case 'value':
      return expression.value;
    case 'name':
      return coerced(expression.path[0], find(names, expression.path));
    case 'list':
      return expression.items.map((item) => evaluate(item, names));
    case 'member':
      return member(evaluate(expression.of, names), evaluate(expression.key, names));
    case 'unary':
      return unary(expression, names);
    case 'binary':
      return binary(expression, names);
    case 'choice':
      return evaluate(
        evaluate(expression.when, names) === true ? expression.then : expression.otherwise,
        names,
      );
    case 'call':
      return functions[expression.name]?.(expression.of.map((part) => evaluate(part, names)));
  }
}

function find(names: Names, path: readonly string[]): Value {
  let value: unknown = names;
  for (const part of path) value = member(value as Value, part);
  return value as Value;
}

function member(of: Value, key: Value): Value {
  if (Array.isArray(of) && typeof key === 'number') return of[key < 0 ? of.length + key : key] as Value;
  if (typeof of !== 'object' || of === null) return undefined;
  const name = textOf(key);
  return Object.hasOwn(of, name) ? ((of as Names)[name] as Value) : undefined;
}

/** Inputs arrive as strings: those that look like numbers or booleans are converted. */
function coerced(namespace: string | undefined, value: Value): Value {
  if (namespace !== 'inputs' || typeof value !== 'string') return value;
  if (/^(?:true|True|TRUE)$/.test(value)) return true;
  if (/^(?:false|False|FALSE)$/.test(value)) return false;
  return /^[+-]?(?:\d+|\d*\.\d+|\d+\.\d*)$/.test(value) && value.length < 16 ? Number(value) : value;
}

function unary({ sign, of }: Extract<Expression, { readonly kind: 'unary' }>, names: Names): Value {
  const value = evaluate(of, names);
  if (sign === '-') return -numberOf(value);
  if (value === undefined || value === null) return true;
  if (typeof value === 'boolean') return !value;
  throw new ExpressionError(`"not" requires true or false, not ${JSON.stringify(value)}.`);
}

type Binary = Extract<Expression, { readonly kind: 'binary' }>;

function binary({ sign, left, right }: Binary, names: Names): Value {
  const first = evaluate(left, names);
  if (sign === '&&' || sign === 'and') return truth(first) && truth(evaluate(right, names));
  if (sign === '||' || sign === 'or') return truth(first) || truth(evaluate(right, names));
  if (sign === '??') return first ?? evaluate(right, names);
  const second = evaluate(right, names);
  if (sign === '==') return isSame(first, second);
  if (sign === '!=') return !isSame(first, second);
  // A comparison with a missing value is always false.
  if (first === undefined || first === null || second === undefined || second === null) return false;
  return compared(sign, first, second);
}

function compared(sign: string, first: Value, second: Value): Value {
  switch (sign) {
    case '<':
      return order(first, second) < 0;
    case '<=':
      return order(first, second) <= 0;
    case '>':
      return order(first, second) > 0;
    case '>=':
      return order(first, second) >= 0;
    case 'in':
      return contains(second, first);
    case 'contains':
      return contains(first, second);
    case 'startsWith':
      return textOf(first).startsWith(textOf(second));
    case 'endsWith':
      return textOf(first).endsWith(textOf(second));
    case 'matches':
      return matches(textOf(first), textOf(second));
    case '+':
      return typeof first === 'string' || typeof second === 'string'
        ? textOf(first) + textOf(second)
        : numberOf(first) + numberOf(second);
    default:
      return calculated(sign, numberOf(first), numberOf(second));
  }
}

function calculated(sign: string, first: number, second: number): number {
  if (sign === '-') return first - second;
  if (sign === '*') return first * second;
  if (second === 0) throw new ExpressionError('Division by zero.');
  return sign === '/' ? first / second : first % second;
}

function matches(text: string, pattern: string): boolean {
  const answer = matchWithin(pattern, text);
  if (answer === 'invalid')
    throw new ExpressionError(`${JSON.stringify(pattern)} is not a valid regular expression.`);
  if (answer === 'too_costly')
    throw new ExpressionError(
      `Matching ${text.length} characters against ${JSON.stringify(pattern)} takes too long.`,
    );
  return answer === 'match';
}

function truth(value: Value): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw new ExpressionError(`"and" and "or" require true or false, not ${JSON.stringify(value)}.`);
}

function isSame(first: Value, second: Value): boolean {
  if ((first ?? null) === null || (second ?? null) === null) return (first ?? null) === (second ?? null);
  if (typeof first === 'object' || typeof second === 'object')
    return JSON.stringify(first) === JSON.stringify(second);
  return first === second;
}

function order(first: Value, second: Value): number {
  if (typeof first === 'string' && typeof second === 'string')
    return first < second ? -1 : first > second ? 1 : 0;
  return numberOf(first) - numberOf(second);
}
