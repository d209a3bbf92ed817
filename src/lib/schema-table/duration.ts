import type { DurationNotation } from './field.js';

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** The longest time a timer can wait: 2^31 - 1 ms. */
export const longestDuration = 2_147_483_647;

interface Notation {
  readonly parse: (value: string | number) => number | undefined;
  /** The pattern of the strings, for the JSON Schema. */
  readonly pattern: string;
  readonly number: 'number' | 'integer';
  readonly remedy: string;
}

/** `simple`: milliseconds, or one amount with a unit. `compound`: seconds, or amounts such as `1m30s`. */
export const durationNotations: Readonly<Record<DurationNotation, Notation>> = {
  simple: {
    parse: parseDuration,
    pattern: '^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$',
    number: 'number',
    remedy: 'Use a number of milliseconds, or a string such as 500ms, 60s, 2m or 1h.',
  },
  compound: {
    parse: parseCompound,
    pattern: '^([0-9.]+(ns|us|ms|s|m|h))+$',
    number: 'integer',
    remedy: 'Use a number of seconds, or a string such as 500ms, 30s or 1m30s.',
  },
};

const simple = /^(\d{1,15}(?:\.\d{1,9})?)(ms|s|m|h)$/;

/** Parses `250`, `"60s"` or `"1.5m"` to milliseconds. Returns undefined if it is invalid or too long for a timer. */
export function parseDuration(value: string | number): number | undefined {
  if (typeof value === 'number') return rounded(value);
  const [, amount, unit] = simple.exec(value) ?? [];
  return unit === undefined ? undefined : rounded(Number(amount) * (units[unit] ?? Number.NaN));
}

function rounded(milliseconds: number): number | undefined {
  const valid = within(milliseconds);
  return valid === undefined ? undefined : Math.round(valid);
}

const part = /(\d{1,15}(?:\.\d{1,9})?)(ns|us|µs|ms|s|m|h)/g;
const compound = /^(?:\d{1,15}(?:\.\d{1,9})?(?:ns|us|µs|ms|s|m|h))+$/;

function parseCompound(value: string | number): number | undefined {
  if (typeof value === 'number') return within(value * 1000);
  if (/^\d{1,10}$/.test(value)) return within(Number(value) * 1000);
  if (!compound.test(value)) return undefined;
  let sum = 0;
  for (const [, amount, unit = ''] of value.matchAll(part))
    sum += Number(amount) * (units[unit] ?? Number.NaN);
  return within(sum);
}

function within(milliseconds: number): number | undefined {
  return Number.isFinite(milliseconds) && milliseconds >= 0 && milliseconds <= longestDuration
    ? milliseconds
    : undefined;
}

export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)}ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(1)}s`;
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round(seconds - minutes * 60);
  return rest === 0 ? `${minutes}m` : `${minutes}m${rest}s`;
}
