import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { changeFields, changeResult } from './change-result.js';

const description = `Writes a whole file of the workspace: creates it, or replaces what is there.

- An existing file must have been read in this session, and must not have changed since; otherwise nothing is written.
- Missing folders are made. The file is replaced at one stroke and keeps its permissions, encoding and line endings.
- To change parts of a file use Edit, which is shorter and safer.
- Configurations of git, of agents and of this gate are never written.`;

export default defineTool({
  name: 'Write',
  title: 'Write a file',
  description,
  effect: 'write',
  hints: { destructive: true, idempotent: true },
  needs: ['files'],
  input: z.object({
    file_path: z.string().min(1).describe('The file: absolute, or relative to the first workspace root.'),
    content: z.string().describe('The whole content that the file shall have.'),
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
