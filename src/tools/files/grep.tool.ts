import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { grepResult } from './grep-result.js';

const description = `Searches the contents of files with ripgrep. Use it in place of grep or rg in a shell.

- pattern is a regular expression in ripgrep's syntax, such as "log.*Error" or "function\\s+\\w+"; put a backslash before literal braces: interface\\{\\}. There is no lookaround and there are no backreferences. fixed_strings searches for plain text.
- output_mode: files_with_matches (the default) gives paths, content gives lines as file:line:text, count gives the number of matching lines of each file.
- Narrow it down with path, glob (*.js, src/**/*.{ts,tsx}, !*.test.ts) or type (js, py, rust).
- A pattern matches within one line unless multiline is set.
- Files that .gitignore leaves out are not searched unless include_ignored is set or path lies in their folder. Hidden files are searched, .git and binary files are not.
- Results come in the order of their paths, head_limit at a time; offset goes on from there.`;

const lines = z.int().min(0).max(100).optional();

export default defineTool({
  name: 'Grep',
  title: 'Search in files',
  description,
  effect: 'read',
  needs: ['search'],
  input: z.object({
    pattern: z.string().min(1).max(16_384).describe('The regular expression to search for.'),
    path: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe(
        'The file or folder to search: absolute, or relative to the first workspace root, the default.',
      ),
    glob: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe(
        'Which files to search, such as *.{ts,tsx} or src/**; several with commas; ! leaves files out.',
      ),
    type: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe("One of ripgrep's file types, such as js, ts, py, rust, go, java or md."),
    output_mode: z
      .enum(['content', 'files_with_matches', 'count'])
      .optional()
      .describe('What to return; files_with_matches if left out.'),
    case_insensitive: z.boolean().optional().describe('True to take upper and lower case as the same.'),
    fixed_strings: z.boolean().optional().describe('True to search for the pattern as plain text.'),
    multiline: z
      .boolean()
      .optional()
      .describe('True to let a match go over several lines; a dot then matches line ends too.'),
    line_numbers: z
      .boolean()
      .optional()
      .describe('False to leave line numbers out of the text of mode content.'),
    before_context: lines.describe('Lines to show before each match, in mode content.'),
    after_context: lines.describe('Lines to show after each match, in mode content.'),
    context: lines.describe('Lines to show before and after each match, in mode content.'),
    head_limit: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('How many lines (in mode content) or files to return; 250 if left out.'),
    offset: z
      .int()
      .min(0)
      .max(10_000)
      .optional()
      .describe('How many lines or files to leave out at the start; 0 if left out.'),
    include_ignored: z
      .boolean()
      .optional()
      .describe('True to search also what .gitignore and other ignore files leave out.'),
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
    output_mode: z.enum(['content', 'files_with_matches', 'count']).describe('What is returned.'),
    matches: z
      .array(
        z.object({
          file: z.string().describe('The file, relative to the first workspace root or absolute.'),
          line: z.int().describe('The number of the line, counted from 1.'),
          text: z.string().describe('The line.'),
          context: z.literal(true).optional().describe('Set for a line that only stands near a match.'),
          cut: z.literal(true).optional().describe('Set when the line is longer than what is given.'),
        }),
      )
      .optional()
      .describe('In mode content: the lines.'),
    files: z.array(z.string()).optional().describe('In mode files_with_matches: the files.'),
    counts: z
      .array(
        z.object({
          file: z.string().describe('The file, relative to the first workspace root or absolute.'),
          count: z.int().describe('How many of its lines match.'),
        }),
      )
      .optional()
      .describe('In mode count: the files, and how many lines match in each.'),
    binary_files: z
      .array(z.string())
      .optional()
      .describe('Files that have a match but are no text; their lines are not shown.'),
    total_files: z
      .int()
      .describe('How many files match; when stopped is set, how many were seen until then.'),
    total_matches: z
      .int()
      .optional()
      .describe('How many lines match in all; not counted in mode files_with_matches.'),
    truncated: z.boolean().describe('Whether there is more than was returned.'),
    next_offset: z.int().optional().describe('The offset with which to go on.'),
    stopped: z
      .enum(['limit', 'time', 'memory'])
      .optional()
      .describe(
        'What ended the search before it had seen everything. Another call may then show other results.',
      ),
    skipped: z
      .array(
        z.object({
          path: z.string().describe('What could not be read.'),
          reason: z.string().describe('Why.'),
        }),
      )
      .optional()
      .describe('Files and folders that could not be read, the first few of them.'),
    total_skipped: z.int().optional().describe('How many could not be read in all.'),
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
