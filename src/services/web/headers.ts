import { validateHeaderName, validateHeaderValue } from 'node:http';
import { ToolFailure } from '../../core/index.js';

/** The connection sets these: another value would make the server read the request differently than we sent it. */
const own: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'trailer',
  'te',
  'expect',
  'keep-alive',
  'proxy-connection',
]);

export function headersFor(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { 'user-agent': 'tidegate' };
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    if (own.has(key)) throw refused(`The header ${name} cannot be set: it is derived from the request.`);
    if (!isValid(name, value))
      throw refused(`The header ${JSON.stringify(name)} has characters that are not allowed in headers.`);
    headers[key] = value;
  }
  return headers;
}

function isValid(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

/** Writes `content-type` as `Content-Type`. Joins several headers of one name. */
export function headersOf(raw: readonly string[]): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase().replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());
    const before = headers.get(name);
    headers.set(name, before === undefined ? (raw[at + 1] ?? '') : `${before}, ${raw[at + 1] ?? ''}`);
  }
  return Object.fromEntries(headers);
}

function refused(message: string): ToolFailure {
  return new ToolFailure('refused', message, { reason: 'header' });
}
