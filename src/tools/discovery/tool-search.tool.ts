import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { foundTool, foundToolData, serverData, serverInSight } from './found-tool.js';
import { gatewayTool } from './gateway-tool.js';
import { isTroubled, searchText } from './search-text.js';

const description = `Finds tools and makes them available. Not all tools are in your list: search before you conclude that something can't be done.

- Describe what you need in plain words ("create a GitHub issue"). +word is required: it must match the tool or name its server.
- select:name,name gets tools by exact name. An empty query lists the servers.
- The result includes the tools' schemas. Call them by name, or through call_tool.`;

const longest = 2000;
const mostNames = 25;

/** Whether a `select:` query names at least one tool and not too many. Any other query is fine. */
function isQuery(query: string): boolean {
  const [, list] = /^\s*select:(.*)$/su.exec(query) ?? [];
  if (list === undefined) return true;
  const names = list.split(',').filter((name) => name.trim() !== '');
  return names.length >= 1 && names.length <= mostNames;
}

export default gatewayTool(
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
        .refine(isQuery, `select: takes 1 to ${String(mostNames)} comma-separated names`)
        .optional()
        .describe('What you need, in plain words; or select:name,name; or empty to list the servers.'),
      max_results: z.int().min(1).max(mostNames).optional().describe('How many tools to return. Default: 5.'),
    }),
    aliases: { query: ['q', 'text', 'need'], max_results: ['maxResults', 'limit', 'top_k'] },
    output: z.object({
      mode: z
        .enum(['list', 'call_tool', 'eager'])
        .describe(
          'list: the tools found are in your list. call_tool: use call_tool. eager: all tools are in your list.',
        ),
      query: z.string().describe('The query.'),
      matches: z.array(foundTool).describe('The tools found, best first.'),
      evicted: z
        .array(
          z.object({
            name: z.string().describe('The tool.'),
            idle_calls: z.int().describe('Calls of other tools since it was last used.'),
          }),
        )
        .describe('Tools removed to make room. Search again if you need them.'),
      not_activated: z.array(z.string()).describe('Found, but there was no room: use call_tool.'),
      not_found: z.array(z.string()).describe('Unknown names after select:.'),
      gone: z.array(z.string()).describe('Tools that are no longer available.'),
      total_matches: z.int().describe('Number of matching tools.'),
      truncated: z.boolean().describe('Whether more match than were returned.'),
      active: z
        .object({
          count: z.int().describe('How many found tools are active.'),
          tokens: z.int().describe('Their approximate size in tokens.'),
          max_count: z.int().describe('Maximum count.'),
          max_tokens: z.int().describe('Maximum tokens.'),
        })
        .describe('Tools that were found and are still active.'),
      servers: z
        .array(serverInSight)
        .describe('Servers that are not ready; all servers if the query is empty.'),
      server_notes: z
        .array(
          z.object({
            server: z.string().describe('The server.'),
            text: z.string().describe('How to use its tools.'),
          }),
        )
        .optional()
        .describe('Notes from servers, sent once.'),
      reason: z
        .enum(['empty_query', 'no_match', 'servers_pending', 'no_servers', 'nothing_deferred'])
        .optional()
        .describe('Why nothing was found or activated.'),
      relisted: z.boolean().optional().describe('Whether the client has refreshed its list since.'),
      still_active: z
        .array(z.string())
        .optional()
        .describe('Tools found earlier: call them by name if in your list, otherwise through call_tool.'),
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
        ...(answer.stillActive !== undefined &&
          answer.stillActive.length > 0 && { still_active: [...answer.stillActive] }),
        next,
      };
      return { data, text };
    },
  }),
  'open',
);
