import type { ParameterType } from './model.js';
import { type IpAddress, parseIpAddress } from './ip-address.js';

/** Constructors for values that JavaScript has no type for. */
export interface ValueMakers {
  duration(seconds: bigint, nanos: number): unknown;
  unsigned(value: bigint): unknown;
  address(value: IpAddress): unknown;
}

const nanosecondsOf: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const maxDepth = 20;

/** Converts a JSON value to a parameter type; undefined if it does not fit. Null is allowed only for `any`. */
export function toParameter(value: unknown, type: ParameterType, make: ValueMakers): unknown {
  switch (type.kind) {
    case 'any':
      return toAny(value, 0);
    case 'bool':
      return typeof value === 'boolean' ? value : undefined;
    case 'string':
      return typeof value === 'string' ? value : undefined;
    case 'int':
      return toInteger(value, -(2n ** 63n), 2n ** 63n - 1n);
    case 'uint': {
      const whole = toInteger(value, 0n, 2n ** 64n - 1n);
      return whole === undefined ? undefined : make.unsigned(whole);
    }
    case 'double':
      return toDouble(value);
    case 'duration':
      return toDuration(value, make);
    case 'timestamp':
      return toTimestamp(value);
    case 'ipaddress': {
      const address = typeof value === 'string' ? parseIpAddress(value) : undefined;
      return address === undefined ? undefined : make.address(address);
    }
    case 'list':
      return Array.isArray(value)
        ? all(value.map((one) => toParameter(one, type.of ?? { kind: 'any' }, make)))
        : undefined;
    case 'map':
      return toMap(value, type.of ?? { kind: 'any' }, make);
  }
}

function toAny(value: unknown, depth: number): unknown {
  if (depth > maxDepth) return undefined;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (Array.isArray(value)) return all(value.map((one) => toAny(one, depth + 1)));
  if (typeof value !== 'object') return undefined;
  const entries = Object.entries(value).map(([key, one]) => [key, toAny(one, depth + 1)] as const);
  return entries.some(([, one]) => one === undefined) ? undefined : new Map(entries);
}

function toMap(value: unknown, of: ParameterType, make: ValueMakers): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value).map(([key, one]) => [key, toParameter(one, of, make)] as const);
  return entries.some(([, one]) => one === undefined) ? undefined : new Map(entries);
}

function all(values: readonly unknown[]): readonly unknown[] | undefined {
  return values.includes(undefined) ? undefined : values;
}

/** Numbers may be strings, because JSON cannot carry large ones exactly. */
function toInteger(value: unknown, least: bigint, most: bigint): bigint | undefined {
  let whole: bigint | undefined;
  if (typeof value === 'bigint') whole = value;
  else if (typeof value === 'number') whole = Number.isInteger(value) ? BigInt(value) : undefined;
  else if (typeof value === 'string') whole = wholeOf(value);
  return whole === undefined || whole < least || whole > most ? undefined : whole;
}

function wholeOf(text: string): bigint | undefined {
  if (/^[+-]?\d{1,30}$/.test(text)) return BigInt(text.replace('+', ''));
  const number = toDouble(text);
  return number !== undefined && Number.isSafeInteger(number) ? BigInt(number) : undefined;
}

function toDouble(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)) return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Parses `1h30m`, `-1.5s` or `0`. */
function toDuration(value: unknown, make: ValueMakers): unknown {
  if (typeof value !== 'string') return undefined;
  const [, sign, rest = ''] =
    /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/.exec(value) ?? [];
  if (sign === undefined || value.length > 100) return undefined;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of rest.matchAll(
    /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g,
  )) {
    const scale = nanosecondsOf[unit] ?? 0n;
    total += BigInt(whole || '0') * scale;
    if (fraction !== '') total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  if (total > 2n ** 63n - 1n) return undefined;
  const nanos = sign === '-' ? -total : total;
  return make.duration(nanos / 1_000_000_000n, Number(nanos % 1_000_000_000n));
}

/** Parses RFC 3339, truncated to milliseconds. */
function toTimestamp(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined;
  const parts = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/.exec(value);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = parts;
  const local = new Date(`${String(year)}-${String(month)}-${String(day)}T00:00:00Z`);
  const isDay = !Number.isNaN(local.getTime()) && local.getUTCDate() === Number(day);
  const isZone = zone === 'Z' || (Number(zone.slice(1, 3)) < 24 && Number(zone.slice(4)) < 60);
  if (!isDay || !isZone || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const offset = zone === 'Z' ? 0 : (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4))) * 60_000;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const time = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 + milliseconds;
  return new Date(local.getTime() + time - (zone.startsWith('-') ? -offset : offset));
}
