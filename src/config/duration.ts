const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The longest time a timer can wait: 2^31 - 1 ms. */
export const longestDuration = 2_147_483_647;

/** What a written duration looks like, also for editors. */
export const durationPattern = '^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$';

const written = /^(\d{1,15}(?:\.\d{1,9})?)(ms|s|m|h)$/;

/** Milliseconds of `250`, `"60s"`, `"1.5m"`; undefined when it is no duration or longer than a timer can wait. */
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
