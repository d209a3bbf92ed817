import { z } from 'zod';
import { defineTool, ToolFailure } from '../../tool/index.js';
import { changeFields, changeResult } from './change-result.js';

const description = `Replaces text in a workspace file and returns the diff.

- old_string is matched literally, never as a pattern, and must occur exactly once in the file: include surrounding lines to make it unique, or set replace_all.
- Copy it exactly from the output of Read, with its whitespace, but without the line number and the tab after it.
- Use edits for several changes to one file: they are applied in order, all or none.
- Encoding, line endings and permissions are kept. \\n in old_string and new_string means the file's line ending.
- An empty old_string creates a new file containing new_string. To replace a whole file, use Write.`;

const oldString = z.string().describe('The text to replace, literally.');
const newString = z.string().describe('The replacement; empty to delete the old text.');
const replaceAll = z
  .boolean()
  .optional()
  .describe('Replace every occurrence. Otherwise old_string must be unique.');

const edit = z.object({ old_string: oldString, new_string: newString, replace_all: replaceAll });

export default defineTool({
  name: 'Edit',
  title: 'Edit a file',
  description,
  effect: 'write',
  hints: { destructive: true },
  needs: ['files'],
  input: z.object({
    file_path: z.string().min(1).describe('File path: absolute, or relative to the first workspace root.'),
    old_string: oldString.optional(),
    new_string: newString.optional(),
    replace_all: replaceAll,
    edits: z
      .array(edit)
      .max(200)
      .optional()
      .describe('Several changes, applied in order. Use instead of old_string and new_string.'),
  }),
  aliases: {
    file_path: ['path', 'filePath', 'absolute_path', 'absolutePath', 'file', 'filename', 'target_file'],
    old_string: ['oldString', 'old', 'old_str', 'oldStr', 'old_text', 'oldText'],
    new_string: ['newString', 'new', 'new_str', 'newStr', 'new_text', 'newText'],
    replace_all: ['replaceAll', 'allow_multiple'],
  },
  output: z.object(changeFields),
  async run({ file_path, old_string, new_string, replace_all, edits = [] }, { exchange, ports }) {
    const single =
      old_string === undefined ? [] : [{ old_string, new_string: new_string ?? '', replace_all }];
    const wanted = [...single, ...edits];
    if (wanted.length === 0) throw nothingToDo();
    const textEdits = wanted.map((one) => ({
      oldText: one.old_string,
      newText: one.new_string,
      replaceAll: one.replace_all === true,
    }));
    return changeResult(await ports.files.edit(file_path, textEdits, { signal: exchange.signal }));
  },
});

function nothingToDo(): ToolFailure {
  return new ToolFailure('bad_state', 'Nothing to edit: pass old_string or edits.', {
    reason: 'no_edits',
    suggestion: 'Pass old_string and new_string, or a list of edits.',
  });
}
