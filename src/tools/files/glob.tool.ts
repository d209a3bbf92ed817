import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { globResult } from './glob-result.js';

const description = `Finds files whose path matches a pattern such as **/*.ts or src/**/*.{ts,tsx}. Fast in folders of any size.

- *, ?, [a-z] and {a,b} match within one name, ** matches any number of folders. A pattern without a slash, such as *.md, matches in every folder; ./*.md only in the folder itself.
- Recently changed files come first; sort: name sorts by path.
- Files ignored by .gitignore are not listed unless include_ignored is set or the pattern starts with their folder. Hidden files are listed, .git is not. Symlinks are not followed.
- Returns up to limit paths, relative to the first workspace root, and the total number. Use Grep to find text in files.`;

export default defineTool({
  name: 'Glob',
  title: 'Find files by name',
  description,
  effect: 'read',
  needs: ['search'],
  input: z.object({
    pattern: z.string().min(1).max(4096).describe('Pattern that paths must match, such as src/**/*.ts.'),
    path: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('Folder to search: absolute, or relative to the first workspace root (the default).'),
    sort: z
      .enum(['newest', 'name'])
      .optional()
      .describe('newest: recently changed files first (default). name: by path.'),
    limit: z.int().min(1).max(1000).optional().describe('How many paths to return. Default: 100.'),
    include_ignored: z
      .boolean()
      .optional()
      .describe('Include files ignored by .gitignore and other ignore files.'),
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
      .describe('Paths relative to the first workspace root, or absolute if outside it.'),
    total_files: z.int().describe('Number of matching files; if stopped is set, the number seen so far.'),
    truncated: z.boolean().describe('Whether there are more files than were returned.'),
    stopped: z
      .enum(['limit', 'time', 'memory'])
      .optional()
      .describe('Why the search stopped early. Results are then sorted by name.'),
    skipped: z
      .array(
        z.object({
          path: z.string().describe('The path.'),
          reason: z.string().describe('Why.'),
        }),
      )
      .optional()
      .describe('The first few folders that could not be read.'),
    total_skipped: z.int().optional().describe('How many could not be read in total.'),
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
