import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { grepResult } from './grep-result.js';

const description = `Searches file contents with ripgrep. Use it instead of grep or rg in a shell.

- pattern is a regular expression in ripgrep's syntax, such as "log.*Error" or "function\\s+\\w+"; escape literal braces: interface\\{\\}. Lookaround and backreferences are not supported. fixed_strings searches for plain text.
- output_mode: files_with_matches (default) returns paths, content returns lines as file:line:text, count returns the number of matching lines per file.
- Narrow the search with path, glob (*.js, src/**/*.{ts,tsx}, !*.test.ts) or type (js, py, rust).
- A pattern matches within one line unless multiline is set.
- Files ignored by .gitignore are not searched unless include_ignored is set or path is inside their folder. Hidden files are searched, .git and binary files are not.
- Results are sorted by path, head_limit at a time; use offset to continue.`;

const lines = z.int().min(0).max(100).optional();

export default defineTool({
  name: 'Grep',
  title: 'Search in files',
  description,
  effect: 'read',
  needs: ['search'],
  input: z.object({
    pattern: z.string().min(1).max(16_384).describe('Regular expression to search for.'),
    path: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('File or folder to search: absolute, or relative to the first workspace root (the default).'),
    glob: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('Files to search, such as *.{ts,tsx} or src/**; comma-separated; prefix with ! to exclude.'),
    type: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('ripgrep file type, such as js, ts, py, rust, go, java or md.'),
    output_mode: z
      .enum(['content', 'files_with_matches', 'count'])
      .optional()
      .describe('What to return. Default: files_with_matches.'),
    case_insensitive: z.boolean().optional().describe('Ignore case.'),
    fixed_strings: z.boolean().optional().describe('Treat the pattern as plain text.'),
    multiline: z
      .boolean()
      .optional()
      .describe('Let matches span lines; a dot then also matches line breaks.'),
    line_numbers: z.boolean().optional().describe('False to omit line numbers in content mode.'),
    before_context: lines.describe('Lines to show before each match in content mode.'),
    after_context: lines.describe('Lines to show after each match in content mode.'),
    context: lines.describe('Lines to show before and after each match in content mode.'),
    head_limit: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('How many lines (in content mode) or files to return. Default: 250.'),
    offset: z.int().min(0).max(10_000).optional().describe('How many lines or files to skip. Default: 0.'),
    include_ignored: z
      .boolean()
      .optional()
      .describe('Include files ignored by .gitignore and other ignore files.'),
  }),
  aliases: {
    pattern: ['regex', 'query'],
    path: ['dir_path', 'dirPath', 'directory', 'folder', 'file_path', 'filePath', 'cwd'],
    glob: ['include', 'include_pattern', 'includePattern', 'file_pattern', 'filePattern', '--glob', '-g'],
    type: ['file_type', 'fileType', '--type', '-t'],
    output_mode: ['outputMode', 'mode'],
    case_insensitive: ['-i', 'i', 'caseInsensitive', 'ignore_case', 'ignoreCase'],
    fixed_strings: ['-F', 'fixedStrings', 'literal'],
    multiline: ['-U', 'multi_line', 'multiLine'],
    line_numbers: ['-n', 'n', 'lineNumbers', 'show_line_numbers', 'showLineNumbers'],
    before_context: ['-B', 'B', 'beforeContext', 'before'],
    after_context: ['-A', 'A', 'afterContext', 'after'],
    context: ['-C', 'C', 'context_lines', 'contextLines'],
    head_limit: ['headLimit', 'limit', 'max_results', 'maxResults', 'total_max_matches'],
    offset: ['skip'],
    include_ignored: ['includeIgnored', 'no_ignore', 'noIgnore'],
  },
  output: z.object({
    output_mode: z.enum(['content', 'files_with_matches', 'count']).describe('The mode used.'),
    matches: z
      .array(
        z.object({
          file: z.string().describe('Path relative to the first workspace root, or absolute.'),
          line: z.int().describe('Line number, from 1.'),
          text: z.string().describe('The line.'),
          context: z.literal(true).optional().describe('Set on context lines.'),
          cut: z.literal(true).optional().describe('Set when the line was cut.'),
        }),
      )
      .optional()
      .describe('The lines, in content mode.'),
    files: z.array(z.string()).optional().describe('The files, in files_with_matches mode.'),
    counts: z
      .array(
        z.object({
          file: z.string().describe('Path relative to the first workspace root, or absolute.'),
          count: z.int().describe('Matching lines in it.'),
        }),
      )
      .optional()
      .describe('Matching lines per file, in count mode.'),
    binary_files: z
      .array(z.string())
      .optional()
      .describe('Binary files with a match; their lines are not shown.'),
    total_files: z.int().describe('Number of matching files; if stopped is set, the number seen so far.'),
    total_matches: z
      .int()
      .optional()
      .describe('Total matching lines; not counted in files_with_matches mode.'),
    truncated: z.boolean().describe('Whether there are more results.'),
    next_offset: z.int().optional().describe('The offset to continue with.'),
    stopped: z
      .enum(['limit', 'time', 'memory'])
      .optional()
      .describe('Why the search stopped early. Another call may return other results.'),
    skipped: z
      .array(
        z.object({
          path: z.string().describe('The path.'),
          reason: z.string().describe('Why.'),
        }),
      )
      .optional()
      .describe('The first few files and folders that could not be read.'),
    total_skipped: z.int().optional().describe('How many could not be read in total.'),
  }),
  async run(input, { exchange, ports }) {
    const { pattern, path, glob, type, context = 0 } = input;
    const outputMode = input.output_mode ?? 'files_with_matches';
    const query = {
      pattern,
      ...(path !== undefined && { path }),
      ...(glob !== undefined && { glob }),
      ...(type !== undefined && { type }),
      isLiteral: input.fixed_strings ?? false,
      ignoresCase: input.case_insensitive ?? false,
      isMultiline: input.multiline ?? false,
      mode: ({ content: 'lines', files_with_matches: 'files', count: 'counts' } as const)[outputMode],
      before: input.before_context ?? context,
      after: input.after_context ?? context,
      limit: input.head_limit ?? 250,
      offset: input.offset ?? 0,
      includeIgnored: input.include_ignored ?? false,
    };
    const found = await ports.search.findText(query, exchange.signal);
    return grepResult(found, { ...query, outputMode, hasNumbers: input.line_numbers ?? true });
  },
});
