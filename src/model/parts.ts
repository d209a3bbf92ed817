import { asRecord } from '../lib/is-record.js';

/** Helpers that every format uses to read a body and write an answer. */

export type JsonRecord = Readonly<Record<string, unknown>>;

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function recordsOf(value: unknown): readonly JsonRecord[] {
  return listOf(value).map(asRecord);
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Text of content that is a string or a list of parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return recordsOf(content)
    .map(({ text }) => textOf(text))
    .filter((text) => text !== '')
    .join('\n');
}

/** A server-sent event; only some formats name it. */
export function event(value: object, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;
}

export function words(text = ''): readonly string[] {
  return text.split(/(?<= )/).filter((word) => word !== '');
}

export function cut(text: string, pieces = 3): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
}

/** Parses arguments, for formats that send values. Invalid JSON stays a string. */
export function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
