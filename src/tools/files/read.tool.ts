import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { pageResult } from './page-result.js';

const description = `Reads a workspace file and returns its lines with line numbers, like cat -n.

- Returns up to 2000 lines or 64 KiB; next_offset says where to continue. A negative offset reads from the end, fast even in huge files.
- Lines longer than 2000 characters are cut. The line number and the tab after it are not part of the file.
- Images (PNG, JPEG, GIF, WebP) are described, and attached for clients that pass images on. Notebooks (.ipynb) are shown as cells. Other binary files are only described.
- Reads files, not folders: use Glob to list a folder, and Grep to find text.
- Read a file before you Write it.`;

export default defineTool({
  name: 'Read',
  title: 'Read a file',
  description,
  effect: 'read',
  needs: ['files'],
  input: z.object({
    file_path: z.string().min(1).describe('File path: absolute, or relative to the first workspace root.'),
    offset: z.int().optional().describe('First line to return, from 1. Negative: counted from the end.'),
    limit: z.int().min(1).max(10_000).optional().describe('How many lines to return. Default: 2000.'),
    raw: z.boolean().optional().describe('Return a notebook as raw JSON.'),
  }),
  aliases: {
    file_path: ['path', 'filePath', 'absolute_path', 'absolutePath', 'file', 'filename', 'target_file'],
    offset: ['start_line', 'startLine'],
    limit: ['max_lines', 'maxLines'],
  },
  output: z.object({
    file_path: z.string().describe('Path relative to the first workspace root, or absolute.'),
    kind: z.enum(['text', 'notebook', 'image', 'binary']).describe('Kind of file.'),
    content: z.string().describe('The numbered lines, or a description of an image or binary file.'),
    bytes: z.int().describe('File size in bytes.'),
    truncated: z.boolean().describe('Whether there is more to read.'),
    start_line: z.int().optional().describe('First line returned.'),
    end_line: z.int().optional().describe('Last line returned.'),
    total_lines: z.int().optional().describe('Lines in the file, if counted.'),
    next_offset: z.int().optional().describe('The offset to continue with.'),
    encoding: z
      .enum(['utf-8', 'utf-16le', 'utf-16be', 'latin1'])
      .optional()
      .describe('Text encoding. latin1 means the file is not valid UTF-8 and has no BOM.'),
    bom: z.boolean().optional().describe('Whether the file starts with a byte order mark.'),
    line_ending: z
      .enum(['lf', 'crlf', 'cr', 'mixed', 'none'])
      .optional()
      .describe('Line ending, detected at the start of the file.'),
    notes: z.array(z.string()).optional().describe('Other remarks.'),
    media_type: z.string().optional().describe('Detected type of an image or binary file.'),
    width: z.int().optional().describe('Image size in pixels.'),
    height: z.int().optional().describe('Image size in pixels.'),
    first_bytes: z.string().optional().describe('First bytes of a binary file, in hex.'),
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
