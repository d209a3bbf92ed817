import type { NotedText } from '../fields/read.js';

/** Maps a position within a value to its file: values may be plain, quoted or block text. */
export function placeInText({ text, source, offset }: NotedText, within: number): number {
  for (const start of [offset, offset + 1]) if (source.text.startsWith(text, start)) return start + within;
  const lineStart = text.lastIndexOf('\n', Math.max(0, within - 1)) + 1;
  const lineEnd = text.indexOf('\n', lineStart);
  const line = text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd);
  const indent = line.length - line.trimStart().length;
  const found = source.text.indexOf(line.trim(), offset);
  return found === -1 || line.trim() === '' ? offset : found + Math.max(0, within - lineStart - indent);
}
