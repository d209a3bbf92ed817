import type { FileChange, FileFacts, Files, TextEdit } from '../ports/files.js';
import { ToolFailure } from '../core/index.js';

export interface FakeFiles extends Files {
  /** Current content of each file. */
  readonly texts: ReadonlyMap<string, string>;
}

const form = { encoding: 'utf-8', hasBom: false, lineEnding: 'lf' } as const;

/** An in-memory workspace: file contents by path. It does not track reads. */
export function createFakeFiles(texts: Readonly<Record<string, string>> = {}): FakeFiles {
  const files = new Map(Object.entries(texts));

  function textOf(path: string): string {
    const text = files.get(path);
    if (text === undefined) throw new ToolFailure('not_found', `${path} does not exist.`);
    return text;
  }

  function put(path: string, text: string, replacements: number): FileChange {
    const isNew = !files.has(path);
    files.set(path, text);
    const counts = { addedLines: 0, removedLines: 0, diff: '', notes: [] };
    return { ...form, ...counts, path, isNew, bytes: sizeOf(text), replacements };
  }

  return {
    roots: ['/workspace'],
    texts: files,
    async stat(path): Promise<FileFacts> {
      const bytes = sizeOf(textOf(path));
      return { path, kind: 'file', bytes, modified: '2026-01-01T00:00:00.000Z' };
    },
    async read(path, { offset = 1, limit = 2000 } = {}) {
      const text = textOf(path);
      const all = linesOf(text);
      const from = offset < 0 ? Math.max(all.length + offset, 0) : Math.max(offset - 1, 0);
      const lines = all.slice(from, from + limit).map((line, at) => ({ number: from + at + 1, text: line }));
      const next = from + limit < all.length ? { nextOffset: from + limit + 1 } : {};
      const totals = { bytes: sizeOf(text), totalLines: all.length, notes: [] };
      return { ...form, kind: 'text', path, lines, ...totals, ...next };
    },
    async readBytes(path, { position = 0, length } = {}) {
      const bytes = new TextEncoder().encode(textOf(path));
      return bytes.slice(position, length === undefined ? undefined : position + length);
    },
    write: async (path, text) => put(path, text, 1),
    async edit(path, edits) {
      const { text, replacements } = edits.reduce(editOnce, { text: textOf(path), replacements: 0 });
      return put(path, text, replacements);
    },
  };
}

interface Edited {
  readonly text: string;
  readonly replacements: number;
}

function editOnce(
  { text, replacements }: Edited,
  { oldText, newText, replaceAll = false }: TextEdit,
): Edited {
  const parts = text.split(oldText);
  const found = parts.length - 1;
  if (found === 0) throw new ToolFailure('not_found', 'The text to replace was not found in the file.');
  if (found > 1 && !replaceAll)
    throw new ToolFailure('conflict', `The text to replace occurs ${String(found)} times.`);
  return { text: parts.join(newText), replacements: replacements + found };
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
