import { isRecord } from '../../../lib/is-record.js';
import { printable, printableLines } from '../../../config/index.js';

interface Result {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

/** The result of a tool, for people to read. */
export function resultLines(result: Result): string[] {
  const blocks: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  const lines = blocks.map(blockText);
  if (lines.length > 0 || result.structuredContent === undefined) return lines;
  return [printableLines(JSON.stringify(result.structuredContent, undefined, 2))];
}

interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
  readonly uri?: unknown;
  readonly resource?: unknown;
}

function blockText(value: unknown): string {
  const block = isRecord(value) ? (value as Block) : {};
  if (block.type === 'text' && typeof block.text === 'string') return printableLines(block.text);
  if (typeof block.data === 'string')
    return `[${word(block.type)} ${word(block.mimeType)}, ${bytesOf(block.data)} bytes]`;
  if (block.type === 'resource_link') return `[resource ${word(block.uri)}]`;
  if (block.type === 'resource' && isRecord(block.resource)) {
    const { uri, text } = block.resource as Block;
    return typeof text === 'string' ? printableLines(text) : `[resource ${word(uri)}]`;
  }
  return printable(JSON.stringify(value));
}

function word(value: unknown): string {
  return typeof value === 'string' ? printable(value) : 'unknown';
}

function bytesOf(base64: string): string {
  return String(Math.floor((base64.replace(/=+$/, '').length * 3) / 4));
}
