const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  y: 365 * 86_400_000,
};
const span = /^(\d{1,6})([mhdwy])$/;
const date = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
/** Far in the future; not every store can keep later dates. */
const latest = Date.UTC(2200, 0, 1);

/**
 * Parses `30d`, `12h`, `2030-01-31` or `2030-01-31T12:00:00Z` to milliseconds since 1970; undefined if invalid or in the
 * past. A date without a time means midnight UTC.
 */
export function readExpiry(text: string, now: number): number | undefined {
  const at = spanEnd(text, now) ?? readDate(text);
  return at !== undefined && at > now && at <= latest ? at : undefined;
}

/** Parses a duration such as `30d` or `12h` to milliseconds; undefined for anything else. */
export function readSpan(text: string): number | undefined {
  const [, count, unit = ''] = span.exec(text) ?? [];
  const ms = unitMs[unit];
  return count === undefined || ms === undefined ? undefined : Number(count) * ms;
}

function spanEnd(text: string, now: number): number | undefined {
  const ms = readSpan(text);
  return ms === undefined ? undefined : now + ms;
}

/** Parses a past or future date; undefined for anything else. */
export function readDate(text: string): number | undefined {
  if (!date.test(text)) return undefined;
  const at = Date.parse(text);
  // Some parsers move an invalid day into the next month.
  const isReal =
    !Number.isNaN(at) &&
    new Date(Date.parse(`${text.slice(0, 10)}T00:00:00Z`)).getUTCDate() === Number(text.slice(8, 10));
  return isReal ? at : undefined;
}
