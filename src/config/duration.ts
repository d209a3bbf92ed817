const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The longest time a timer can wait: 2^31 - 1 ms. */
export const longestDuration = 2_147_483_647;

/** The pattern of a duration string, also for the JSON Schema. */
export const durationPattern = '^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$';

const written = /^(\d{1,15}(?:\.\d{1,9})?)(ms|s|m|h)$/;

/** Parses `250`, `"60s"` or `"1.5m"` to milliseconds. Returns undefined if it is invalid or too long for a timer. */
export function parseDuration(value: string | number): number | undefined {
  const milliseconds = typeof value === 'number' ? value : parseWritten(value);
  if (milliseconds === undefined || !Number.isFinite(milliseconds)) return undefined;
  return milliseconds >= 0 && milliseconds <= longestDuration ? Math.round(milliseconds) : undefined;
}

function parseWritten(text: string): number | undefined {
  const match = written.exec(text);
  if (match === null) return undefined;
  return Number(match[1]) * (units[match[2] ?? ''] ?? Number.NaN);
}
