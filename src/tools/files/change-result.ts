import { z } from 'zod';
import type { FileChange } from '../../kernel/files-port.js';
import { shownName } from './shown-name.js';

/** What Write and Edit say of what they did. */
export const changeFields = {
  file_path: z.string().describe('The file, relative to the first workspace root or absolute.'),
  created: z.boolean().describe('Whether the file is new.'),
  bytes: z.int().describe('How long the file is now.'),
  replacements: z.int().describe('How many places were changed.'),
  added_lines: z.int().describe('How many lines the diff adds.'),
  removed_lines: z.int().describe('How many lines the diff removes.'),
  encoding: z.enum(['utf-8', 'utf-16le', 'utf-16be', 'latin1']).describe('How the text is stored.'),
  line_ending: z.enum(['lf', 'crlf', 'cr', 'mixed', 'none']).describe('What its lines end with now.'),
  diff: z.string().describe('What changed, as a unified diff; long ones are cut at the end.'),
  notes: z.array(z.string()).optional().describe('What else there is to know.'),
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
  const places = replacements === 1 ? '' : ` at ${replacements} places`;
  const done = isNew ? 'Created' : `Changed${places}:`;
  const about = `${done} ${shownName(path)} (+${addedLines} -${removedLines} lines, ${bytes} bytes, ${encoding}, line endings ${lineEnding}).`;
  return { data, text: [about, ...notes, ...(diff === '' ? [] : [diff])].join('\n') };
}
