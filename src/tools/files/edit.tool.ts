import { z } from 'zod';
import { defineTool, ToolFailure } from '../../tool/index.js';
import { changeFields, changeResult } from './change-result.js';

const description = `Replaces text in a file of the workspace and returns the diff.

- old_string is taken literally, never as a pattern, and must stand exactly once in the file: add lines around it until it is unique, or set replace_all.
- Copy it exactly from what Read returned, with its spaces, but without the line number and the tab after it.
- Several changes to one file belong in edits: they are made one after the other, all of them or none.
- Nothing else in the file changes: encoding, line endings and permissions stay. A \\n in the texts stands for the line ending of the file.
- An empty old_string creates a new file with new_string. To replace a whole file use Write.`;

const oldString = z.string().describe('The text to be replaced, literally.');
const newString = z.string().describe('The text to put in its place; empty to remove the old text.');
const replaceAll = z
  .boolean()
  .optional()
  .describe('True to replace every occurrence; otherwise it must be the only one.');

const edit = z.object({ old_string: oldString, new_string: newString, replace_all: replaceAll });

export default defineTool({
  name: 'Edit',
  title: 'Edit a file',
  description,
  effect: 'write',
  hints: { destructive: true },
  needs: ['files'],
  input: z.object({
    file_path: z.string().min(1).describe('The file: absolute, or relative to the first workspace root.'),
    old_string: oldString.optional(),
    new_string: newString.optional(),
    replace_all: replaceAll,
    edits: z
      .array(edit)
      .max(200)
      .optional()
      .describe('Several changes, in order, instead of old_string and new_string.'),
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
  return new ToolFailure('bad_state', 'There is no edit to make: neither old_string nor edits was given.', {
    reason: 'no_edits',
    suggestion: 'Give old_string and new_string, or a list of edits.',
  });
}
