import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { globResult } from './glob-result.js';

const description = `Finds files by the pattern of their path, such as **/*.ts or src/**/*.{ts,tsx}. Fast in folders of any size.

- *, ?, [a-z] and {a,b} stand for characters of one name, ** for any number of folders. A pattern without a slash, such as *.md, is looked for in every folder; ./*.md only in the folder itself.
- Files changed last come first; sort: name gives them in the order of their paths.
- Files that .gitignore leaves out are not listed unless include_ignored is set or the pattern starts with their folder. Hidden files are listed, .git is not. Links are not followed.
- Returns up to limit paths, relative to the first workspace root, and how many there are in all. Use Grep to find text in files.`;

export default defineTool({
  name: 'Glob',
  title: 'Find files by name',
  description,
  effect: 'read',
  needs: ['search'],
  input: z.object({
    pattern: z.string().min(1).max(4096).describe('The pattern that paths must match, such as src/**/*.ts.'),
    path: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe(
        'The folder to look in: absolute, or relative to the first workspace root, which is the default.',
      ),
    sort: z
      .enum(['newest', 'name'])
      .optional()
      .describe('newest: files changed last come first (the default). name: in the order of their paths.'),
    limit: z.int().min(1).max(1000).optional().describe('How many paths to return; 100 if left out.'),
    include_ignored: z
      .boolean()
      .optional()
      .describe('True to list also what .gitignore and other ignore files leave out.'),
  }),
  aliases: {
    pattern: ['glob', 'glob_pattern', 'globPattern'],
    path: ['dir_path', 'dirPath', 'directory', 'folder', 'cwd'],
    sort: ['order', 'sort_by', 'sortBy'],
    limit: ['head_limit', 'headLimit', 'max_results', 'maxResults'],
    include_ignored: ['includeIgnored', 'no_ignore', 'noIgnore'],
  },
  output: z.object({
    files: z
      .array(z.string())
      .describe('The paths, relative to the first workspace root, or absolute if outside of it.'),
    total_files: z
      .int()
      .describe('How many files match; when stopped is set, how many were seen until then.'),
    truncated: z.boolean().describe('Whether there are more files than were returned.'),
    stopped: z
      .enum(['limit', 'time', 'memory'])
      .optional()
      .describe('What ended the search before it had seen everything. The order is then by name.'),
    skipped: z
      .array(
        z.object({
          path: z.string().describe('What could not be read.'),
          reason: z.string().describe('Why.'),
        }),
      )
      .optional()
      .describe('Folders that could not be read, the first few of them.'),
    total_skipped: z.int().optional().describe('How many could not be read in all.'),
  }),
  async run({ pattern, path, sort, limit, include_ignored }, { exchange, ports }) {
    const query = {
      pattern,
      ...(path !== undefined && { path }),
      order: sort ?? 'newest',
      limit: limit ?? 100,
      includeIgnored: include_ignored ?? false,
    };
    return globResult(await ports.search.findFiles(query, exchange.signal), query.includeIgnored);
  },
});
