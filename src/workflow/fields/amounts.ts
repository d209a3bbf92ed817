const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Longest delay a timer supports: 2^31 - 1 ms. */
const longest = 2_147_483_647;
const part = /(\d{1,15}(?:\.\d{1,9})?)(ns|us|µs|ms|s|m|h)/g;
const whole = /^(?:\d{1,15}(?:\.\d{1,9})?(?:ns|us|µs|ms|s|m|h))+$/;

/** Parses whole seconds (`30`) or a string such as `1m30s` or `500ms` into milliseconds. */
export function readDuration(value: unknown): number | undefined {
  if (typeof value === 'number') return within(value * 1000);
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,10}$/.test(value)) return within(Number(value) * 1000);
  if (!whole.test(value)) return undefined;
  let sum = 0;
  for (const [, amount, unit = ''] of value.matchAll(part))
    sum += Number(amount) * (units[unit] ?? Number.NaN);
  return within(sum);
}

function within(milliseconds: number): number | undefined {
  return Number.isFinite(milliseconds) && milliseconds >= 0 && milliseconds <= longest
    ? milliseconds
    : undefined;
}

const sizes: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1024,
  kb: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
};
const sizeText = /^(\d{1,12}(?:\.\d{1,3})?)\s*([kmg]?b?)$/i;

/** Parses a number or a string such as `10MB` into bytes. */
export function readSize(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const [, amount, unit = ''] = sizeText.exec(value.trim()) ?? [];
  const size = Number(amount) * (sizes[unit.toLowerCase()] ?? Number.NaN);
  return Number.isFinite(size) ? Math.floor(size) : undefined;
}

export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)}ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(1)}s`;
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round(seconds - minutes * 60);
  return rest === 0 ? `${minutes}m` : `${minutes}m${rest}s`;
}
