const prefix = '=?base64?';
const suffix = '?=';

/** Encodes a value for an HTTP header: unchanged if that is safe, otherwise in the protocol's base64 form. */
export function headerValue(value: string): string {
  if (isPlain(value)) return value;
  return `${prefix}${Buffer.from(value, 'utf8').toString('base64')}${suffix}`;
}

function isPlain(value: string): boolean {
  if (value === '' || value !== value.trim()) return false;
  if (value.startsWith(prefix) && value.endsWith(suffix)) return false;
  return /^[\t\x20-\x7e]*$/.test(value);
}
