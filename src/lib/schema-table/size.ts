const units: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1024,
  kb: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
};
const written = /^(\d{1,12}(?:\.\d{1,3})?)\s*([kmg]?b?)$/i;

/** The pattern of a size string, for the JSON Schema. */
export const sizePattern = '^[0-9.]+ ?[kKmMgG]?[bB]?$';

/** Parses a number or a string such as `10MB` into bytes. */
export function parseSize(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  const [, amount, unit = ''] = written.exec(value.trim()) ?? [];
  const size = Number(amount) * (units[unit.toLowerCase()] ?? Number.NaN);
  return Number.isFinite(size) ? Math.floor(size) : undefined;
}
