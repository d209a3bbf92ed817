import { z } from 'zod';
import type { FileChange } from '../../ports/files.js';
import { shownName } from './shown-name.js';

/** The result fields of Write and Edit. */
export const changeFields = {
  file_path: z.string().describe('Path relative to the first workspace root, or absolute.'),
  created: z.boolean().describe('Whether the file is new.'),
  bytes: z.int().describe('File size in bytes.'),
  replacements: z.int().describe('Number of replacements made.'),
  added_lines: z.int().describe('Lines added by the diff.'),
  removed_lines: z.int().describe('Lines removed by the diff.'),
  encoding: z.enum(['utf-8', 'utf-16le', 'utf-16be', 'latin1']).describe('Text encoding.'),
  line_ending: z.enum(['lf', 'crlf', 'cr', 'mixed', 'none']).describe('Line ending after the change.'),
  diff: z.string().describe('Unified diff, cut at the end if long.'),
  notes: z.array(z.string()).optional().describe('Other remarks.'),
} as const;

export interface ChangeResult {
  readonly data: z.input<z.ZodObject<typeof changeFields>>;
  readonly text: string;
}

export function changeResult(change: FileChange): ChangeResult {
  const { path, isNew, bytes, replacements, addedLines, removedLines, encoding, lineEnding, diff, notes } =
    change;
  const data = {
    file_path: path,
    created: isNew,
    bytes,
    replacements,
    added_lines: addedLines,
    removed_lines: removedLines,
    encoding,
    line_ending: lineEnding,
    diff,
    ...(notes.length > 0 && { notes: [...notes] }),
  };
  const places = replacements === 1 ? '' : ` in ${replacements} places`;
  const done = isNew ? 'Created' : `Changed${places}:`;
  const about = `${done} ${shownName(path)} (+${addedLines} -${removedLines} lines, ${bytes} bytes, ${encoding}, line endings ${lineEnding}).`;
  return { data, text: [about, ...notes, ...(diff === '' ? [] : [diff])].join('\n') };
}
