const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  y: 365 * 86_400_000,
};
const span = /^(\d{1,6})([mhdwy])$/;
const date = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
/** Further off than any machine will run; beyond it lie dates that not every store can keep. */
const latest = Date.UTC(2200, 0, 1);

/**
 * The time that `30d`, `12h`, `2030-01-31` or `2030-01-31T12:00:00Z` names, in milliseconds since 1970; undefined when it
 * names none, or none to come. A date without a time is its first moment in UTC.
 */
export function readExpiry(text: string, now: number): number | undefined {
  const at = spanEnd(text, now) ?? dateOf(text);
  return at !== undefined && at > now && at <= latest ? at : undefined;
}

/** How long `30d` or `12h` is, in milliseconds; undefined for anything else. */
export function readSpan(text: string): number | undefined {
  const [, count, unit = ''] = span.exec(text) ?? [];
  const ms = unitMs[unit];
  return count === undefined || ms === undefined ? undefined : Number(count) * ms;
}

function spanEnd(text: string, now: number): number | undefined {
  const ms = readSpan(text);
  return ms === undefined ? undefined : now + ms;
}

function dateOf(text: string): number | undefined {
  if (!date.test(text)) return undefined;
  const at = Date.parse(text);
  // A day that the month does not have is moved into the next one by some readers.
  const isReal =
    !Number.isNaN(at) &&
    new Date(Date.parse(`${text.slice(0, 10)}T00:00:00Z`)).getUTCDate() === Number(text.slice(8, 10));
  return isReal ? at : undefined;
}
