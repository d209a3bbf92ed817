import { TemplateError } from './template.js';

export type TemplateFunction = (values: readonly unknown[]) => unknown;

/** A value as it appears in a text. */
export function rawText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return JSON.stringify(value);
}

/** Truth as in Go templates: nil, zero and empty values are false. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

export const templateFunctions: Readonly<Record<string, TemplateFunction>> = {
  escape: ([value]) => `'${rawText(value).replaceAll("'", "'\\''")}'`,
  json: ([value]) => JSON.stringify(value ?? null),
  split: ([text, by]) => rawText(text).split(rawText(by)),
  join: ([list, by]) => listOf(list).map(rawText).join(rawText(by)),
  trimSpace: ([value]) => rawText(value).trim(),
  and: (values) => values.find((value) => !isTrue(value)) ?? values.at(-1),
  or: (values) => values.find(isTrue) ?? values.at(-1),
  not: ([value]) => !isTrue(value),
  eq: ([first, ...rest]) => rest.some((value) => isSame(first, value)),
  ne: ([first, second]) => !isSame(first, second),
  lt: ([first, second]) => order(first, second) < 0,
  le: ([first, second]) => order(first, second) <= 0,
  gt: ([first, second]) => order(first, second) > 0,
  ge: ([first, second]) => order(first, second) >= 0,
  len: ([value]) => lengthOf(value),
  index: ([value, ...keys]) => keys.reduce(indexed, value),
  print: (values) => values.map(rawText).join(''),
  println: (values) => `${values.map(rawText).join(' ')}\n`,
  printf: ([format, ...values]) => formatted(rawText(format), values),
};

/** A number equals its string form, because inputs are strings. */
function isSame(first: unknown, second: unknown): boolean {
  return first === second || rawText(first) === rawText(second);
}

function order(first: unknown, second: unknown): number {
  const [a, b] = [Number(first), Number(second)];
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  return rawText(first) < rawText(second) ? -1 : rawText(first) > rawText(second) ? 1 : 0;
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TemplateError('join requires a list.');
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length;
  throw new TemplateError('len requires a string, a list or a mapping.');
}

function indexed(value: unknown, key: unknown): unknown {
  if (Array.isArray(value) && typeof key === 'number' && key in value) return value[key];
  const name = rawText(key);
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, name)) {
    return (value as Readonly<Record<string, unknown>>)[name];
  }
  throw new TemplateError(`index: ${JSON.stringify(name)} does not exist.`);
}

function formatted(format: string, values: readonly unknown[]): string {
  let at = 0;
  return format.replace(
    /%(?:%|(-?\d*)(?:\.(\d+))?([sdvqft]))/g,
    (found, width = '', digits = '', verb: string) => {
      if (found === '%%') return '%';
      const value = values[at];
      at += 1;
      const text = verb === 'f' ? decimal(value, digits === '' ? 6 : Number(digits)) : rawText(value);
      const shown = verb === 'q' ? JSON.stringify(text) : text;
      const size = Math.min(Math.abs(Number(width)), 1000);
      return String(width).startsWith('-') ? shown.padEnd(size) : shown.padStart(size);
    },
  );
}

const mostDecimals = 100;

function decimal(value: unknown, digits: number): string {
  if (digits > mostDecimals)
    throw new TemplateError(`printf supports at most ${mostDecimals} decimal places, not ${digits}.`);
  return Number(value).toFixed(digits);
}
