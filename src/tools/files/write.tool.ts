import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { changeFields, changeResult } from './change-result.js';

const description = `Writes a whole workspace file: creates it, or replaces its content.

- You must have read an existing file in this session, and it must not have changed since; otherwise nothing is written.
- Missing folders are created. The file is replaced atomically and keeps its permissions, encoding and line endings.
- To change part of a file, use Edit: it is shorter and safer.
- Configuration files of git, agents and Tidegate are never written.`;

export default defineTool({
  name: 'Write',
  title: 'Write a file',
  description,
  effect: 'write',
  hints: { destructive: true, idempotent: true },
  needs: ['files'],
  input: z.object({
    file_path: z.string().min(1).describe('File path: absolute, or relative to the first workspace root.'),
    content: z.string().describe('The full new content of the file.'),
  }),
  aliases: {
    file_path: ['path', 'filePath', 'absolute_path', 'absolutePath', 'file', 'filename', 'target_file'],
    content: ['contents', 'text', 'file_text', 'fileText'],
  },
  output: z.object(changeFields),
  async run({ file_path, content }, { exchange, ports }) {
    return changeResult(await ports.files.write(file_path, content, { signal: exchange.signal }));
  },
});
