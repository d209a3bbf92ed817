import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { pageResult } from './page-result.js';

const description = `Reads a file of the workspace and returns its lines with line numbers, as cat -n does.

- Up to 2000 lines or 64 KiB are returned; next_offset says where to go on. A negative offset reads from the end, quickly even in huge files.
- Lines longer than 2000 characters are cut. The line number and the tab after it are not part of the file.
- Images (PNG, JPEG, GIF, WebP) are shown where the client passes images on, and described. Notebooks (.ipynb) are shown as cells. Other binary files are only described.
- It reads files, not folders: use Glob to list what is in a folder, and Grep to find text.
- Read a file before you Write it.`;

export default defineTool({
  name: 'Read',
  title: 'Read a file',
  description,
  effect: 'read',
  needs: ['files'],
  input: z.object({
    file_path: z.string().min(1).describe('The file: absolute, or relative to the first workspace root.'),
    offset: z
      .int()
      .optional()
      .describe('The first line to return, counted from 1. Negative: so many lines before the end.'),
    limit: z.int().min(1).max(10_000).optional().describe('How many lines to return; 2000 if left out.'),
    raw: z.boolean().optional().describe('True to see a notebook as the JSON that it is.'),
  }),
  aliases: {
    file_path: ['path', 'filePath', 'absolute_path', 'absolutePath', 'file', 'filename', 'target_file'],
    offset: ['start_line', 'startLine'],
    limit: ['max_lines', 'maxLines'],
  },
  output: z.object({
    file_path: z.string().describe('The file, relative to the first workspace root or absolute.'),
    kind: z.enum(['text', 'notebook', 'image', 'binary']).describe('What the file is.'),
    content: z.string().describe('The lines with their numbers, or a sentence about what is not a text.'),
    bytes: z.int().describe('How long the whole file is.'),
    truncated: z.boolean().describe('Whether there is more than was returned.'),
    start_line: z.int().optional().describe('The number of the first line returned.'),
    end_line: z.int().optional().describe('The number of the last line returned.'),
    total_lines: z.int().optional().describe('How many lines the file has, where they were counted.'),
    next_offset: z.int().optional().describe('The offset with which to go on.'),
    encoding: z
      .enum(['utf-8', 'utf-16le', 'utf-16be', 'latin1'])
      .optional()
      .describe('How the text is stored. latin1 stands for whatever is not UTF-8 and has no mark.'),
    bom: z.boolean().optional().describe('Whether the file begins with a byte order mark.'),
    line_ending: z
      .enum(['lf', 'crlf', 'cr', 'mixed', 'none'])
      .optional()
      .describe('What the lines end with, judged by the beginning of the file.'),
    notes: z.array(z.string()).optional().describe('What else there is to know.'),
    media_type: z.string().optional().describe('What an image or a binary file seems to be.'),
    width: z.int().optional().describe('Of an image, in pixels.'),
    height: z.int().optional().describe('Of an image, in pixels.'),
    first_bytes: z.string().optional().describe('The first bytes of a binary file, hexadecimal.'),
  }),
  async run({ file_path, offset, limit, raw }, { exchange, ports }) {
    const window = {
      ...(offset !== undefined && { offset }),
      ...(limit !== undefined && { limit }),
      ...(raw !== undefined && { raw }),
    };
    return pageResult(await ports.files.read(file_path, { ...window, signal: exchange.signal }));
  },
});
