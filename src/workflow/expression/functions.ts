import { ExpressionError, type Value } from './expression.js';

type Function = (values: readonly Value[]) => Value;

export const functions: Readonly<Record<string, Function>> = {
  has_prefix: ([text, start]) => textOf(text).startsWith(textOf(start)),
  has_suffix: ([text, end]) => textOf(text).endsWith(textOf(end)),
  contains: ([whole, part]) => contains(whole, part),
  len: ([value]) => lengthOf(value),
  lower: ([text]) => textOf(text).toLowerCase(),
  upper: ([text]) => textOf(text).toUpperCase(),
  trim: ([text]) => textOf(text).trim(),
  int: ([value]) => Math.trunc(numberOf(value)),
  float: ([value]) => numberOf(value),
  string: ([value]) => textOf(value),
  abs: ([value]) => Math.abs(numberOf(value)),
  min: (values) => Math.min(...values.map(numberOf)),
  max: (values) => Math.max(...values.map(numberOf)),
};

export function textOf(value: Value): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function numberOf(value: Value): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && !Number.isNaN(number)) return number;
  throw new ExpressionError(`${JSON.stringify(value ?? null)} is not a number.`);
}

export function contains(whole: Value, part: Value): boolean {
  if (Array.isArray(whole)) return whole.some((item) => item === part);
  if (typeof whole === 'object' && whole !== null) return Object.hasOwn(whole, textOf(part));
  return textOf(whole).includes(textOf(part));
}

function lengthOf(value: Value): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length;
  return 0;
}
