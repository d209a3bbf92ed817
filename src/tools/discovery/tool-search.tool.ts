import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { foundTool, foundToolData, serverData, serverInSight } from './found-tool.js';
import { partOfGate } from './part-of-gate.js';
import { isTroubled, searchText } from './search-text.js';

const description = `Finds tools for a need and makes them available. Not all tools are in your list: search before you conclude that something cannot be done.

- Describe what you need in plain words ("create a GitHub issue"). +word must match, or be the name of a server.
- select:name,name gets tools by their exact names. An empty query lists the servers.
- The answer has the schemas of the tools found. Call them by name, or through call_tool.`;

const longest = 2000;
const mostNames = 25;

/** The names after `select:`, as the search reads them. */
function isQuery(query: string): boolean {
  const [, list] = /^\s*select:(.*)$/su.exec(query) ?? [];
  if (list === undefined) return true;
  const names = list.split(',').filter((name) => name.trim() !== '');
  return names.length >= 1 && names.length <= mostNames;
}

export default partOfGate(
  defineTool({
    name: 'tool_search',
    title: 'Find tools',
    description,
    effect: 'read',
    needs: ['catalog'],
    input: z.object({
      query: z
        .string()
        .max(longest)
        .refine(isQuery, `select: takes 1 to ${String(mostNames)} names with commas between them`)
        .optional()
        .describe('What you need, in plain words; or select:name,name; or nothing to list the servers.'),
      max_results: z
        .int()
        .min(1)
        .max(mostNames)
        .optional()
        .describe('How many tools to return; 5 if left out.'),
    }),
    aliases: { query: ['q', 'text', 'need'], max_results: ['maxResults', 'limit', 'top_k'] },
    output: z.object({
      mode: z
        .enum(['list', 'bridge', 'eager'])
        .describe(
          'list: what was found is in your list. bridge: use call_tool. eager: everything is listed.',
        ),
      query: z.string().describe('What was searched for.'),
      matches: z.array(foundTool).describe('The tools found, best first.'),
      evicted: z
        .array(
          z.object({
            name: z.string().describe('The tool.'),
            idle_calls: z.int().describe('How many uses of other tools came since it was last used.'),
          }),
        )
        .describe('Tools that made room; search for them again if you need them.'),
      not_activated: z.array(z.string()).describe('Found, but without room: call them through call_tool.'),
      not_found: z.array(z.string()).describe('Names after select: that do not exist.'),
      gone: z.array(z.string()).describe('Tools that were available and are not there any more.'),
      total_matches: z.int().describe('How many tools match.'),
      truncated: z.boolean().describe('Whether more match than were returned.'),
      active: z
        .object({
          count: z.int().describe('How many found tools are available now.'),
          tokens: z.int().describe('About how many tokens they take.'),
          max_count: z.int().describe('How many may be.'),
          max_tokens: z.int().describe('How many tokens they may take.'),
        })
        .describe('The tools that were made available and still are.'),
      servers: z
        .array(serverInSight)
        .describe('Servers that are not ready; with an empty query, all of them.'),
      server_notes: z
        .array(
          z.object({
            server: z.string().describe('The server.'),
            text: z.string().describe('How it wants its tools to be used.'),
          }),
        )
        .optional()
        .describe('What servers say of themselves, the first time.'),
      reason: z
        .enum(['empty_query', 'no_match', 'servers_pending', 'no_servers', 'nothing_deferred'])
        .optional()
        .describe('Why nothing was found, or nothing was done.'),
      relisted: z.boolean().optional().describe('Whether your list has been read again since.'),
      next: z.string().describe('What to do now.'),
    }),
    async run({ query = '', max_results = 5 }, { exchange, ports }) {
      const answer = await ports.catalog.search({ query, maxResults: max_results, activate: true }, exchange);
      const { text, next } = searchText(answer);
      const { matches, active } = answer;
      const servers = query.trim() === '' ? answer.servers : answer.servers.filter(isTroubled);
      const data = {
        mode: answer.mode,
        query: answer.query,
        matches: matches.map(foundToolData),
        evicted: answer.evicted.map(({ name, idleCalls }) => ({ name, idle_calls: idleCalls })),
        not_activated: matches.filter(({ state }) => state === 'not_activated').map(({ name }) => name),
        not_found: [...answer.notFound],
        gone: [...answer.gone],
        total_matches: answer.totalMatches,
        truncated: answer.totalMatches > matches.length,
        active: {
          count: active.count,
          tokens: active.tokens,
          max_count: active.maxCount,
          max_tokens: active.maxTokens,
        },
        servers: servers.map(serverData),
        ...(answer.serverNotes.length > 0 && {
          server_notes: answer.serverNotes.map((note) => ({ ...note })),
        }),
        ...(answer.reason !== undefined && { reason: answer.reason }),
        ...(answer.relisted !== undefined && { relisted: answer.relisted }),
        next,
      };
      return { data, text };
    },
  }),
  'open',
);
