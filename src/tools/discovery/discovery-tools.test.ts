import { describe, expect, it } from 'vitest';
import type { Catalog, FoundTool, SearchAnswer, SearchOptions, ServerInSight } from '../../ports/catalog.js';
import { callTool } from '../../testing/index.js';
import call from './call-tool.tool.js';
import details from './discovery-get-tool-details.tool.js';
import servers from './discovery-list-servers.tool.js';
import load from './discovery-load-tools.tool.js';
import discover from './discovery-search-tools.tool.js';
import search from './tool-search.tool.js';
import wait from './wait-for-servers.tool.js';

const issue: FoundTool = {
  name: 'github_create_issue',
  server: 'github',
  description: 'Creates an issue.',
  inputSchema: { type: 'object', properties: { title: { type: 'string' } } },
  state: 'activated',
  score: 3.2,
  confidence: 'high',
};
const github: ServerInSight = { name: 'github', status: 'connected', tools: 1, digest: 'issue' };
const broken: ServerInSight = {
  name: 'mail',
  status: 'failed',
  tools: 0,
  digest: '',
  errorCode: 'provider.unavailable',
};
const starting: ServerInSight = { name: 'slow', status: 'pending', tools: 0, digest: '' };

function answer(more: Partial<SearchAnswer> = {}): SearchAnswer {
  return {
    mode: 'list',
    query: 'x',
    matches: [issue],
    evicted: [],
    notFound: [],
    gone: [],
    totalMatches: 1,
    active: { count: 1, tokens: 100, maxCount: 24, maxTokens: 5000 },
    servers: [github],
    serverNotes: [],
    ...more,
  };
}

function catalog(given: SearchAnswer = answer(), requests: SearchOptions[] = []): Catalog {
  return {
    search: (options) => {
      requests.push(options);
      return Promise.resolve({ ...given, query: options.query });
    },
    servers: () => Promise.resolve([github]),
    describe: (name) => (name === issue.name ? issue : undefined),
    wait: () =>
      Promise.resolve({ servers: [{ ...starting, waitedMs: 5 }], notFound: ['nobody'], allReady: false }),
  };
}

const said = async (more: Partial<SearchAnswer>, query = 'x'): Promise<string> =>
  (await callTool(search, { query }, { ports: { catalog: catalog(answer(more)) } })).text;

describe('tool_search', () => {
  it('returns full definitions as data and as text, and suggests the next step', async () => {
    const { data, text } = await callTool(search, { query: 'x' }, { ports: { catalog: catalog() } });
    expect(data).toMatchObject({
      matches: [{ name: issue.name, input_schema: issue.inputSchema, state: 'activated' }],
      truncated: false,
    });
    expect(text).toContain('github_create_issue (github)\nCreates an issue.\nSchema: {"type":"object"');
    expect(text).toMatch(/Next: call github_create_issue directly\.$/);
  });

  it('returns five tools by default, or as many as requested', async () => {
    const requests: SearchOptions[] = [];
    await callTool(search, { query: 'x' }, { ports: { catalog: catalog(answer(), requests) } });
    await callTool(search, { query: 'x', limit: 7 }, { ports: { catalog: catalog(answer(), requests) } });
    expect(requests.map(({ maxResults }) => maxResults)).toEqual([5, 7]);
  });

  it.each([
    ['in call_tool mode', { mode: 'call_tool' as const }, /call call_tool with name github_create_issue/],
    ['if the client did not refresh its list', { relisted: false }, /call call_tool/],
    [
      'that were not activated',
      { matches: [{ ...issue, state: 'not_activated' as const }] },
      /not activated: use call_tool/,
    ],
    [
      'that are all listed',
      { mode: 'eager' as const, reason: 'nothing_deferred' as const },
      /All tools are already in your list/,
    ],
    [
      'with a weak match',
      { matches: [{ ...issue, confidence: 'low' as const }] },
      /other words may find a better one/,
    ],
  ])('says how to call tools %s', async (_name, more, words) => {
    expect(await said(more)).toMatch(words);
  });

  it('names removed, unavailable and unknown tools, and servers that are not ready', async () => {
    const text = await said({
      evicted: [{ name: 'old', idleCalls: 9 }],
      serverNotes: [{ server: 'github', text: 'Be brief.' }],
      gone: ['lost'],
      notFound: ['none'],
      servers: [github, broken],
    });
    expect(text).toMatch(
      /Notes from github about its tools:\nBe brief.[\s\S]*make room: old[\s\S]*No longer available: lost[\s\S]*Not found: none[\s\S]*- mail \[failed provider.unavailable\]/,
    );
    expect(text).not.toContain('- github');
  });

  it('distinguishes no match from servers that are still starting', async () => {
    expect(await said({ matches: [], totalMatches: 0, reason: 'no_match' })).toMatch(
      /try other or fewer words/,
    );
    expect(await said({ matches: [], totalMatches: 0, reason: 'no_match', servers: [broken] })).toMatch(
      /which servers are not working/,
    );
    expect(
      await said({ matches: [], totalMatches: 0, reason: 'servers_pending', servers: [starting] }),
    ).toMatch(/wait_for_servers/);
  });

  it('lists the servers for an empty query', async () => {
    const text = await said(
      { matches: [], totalMatches: 0, reason: 'empty_query', servers: [github, starting] },
      '',
    );
    expect(text).toBe(
      'Servers whose tools you can search:\n\n- github: issue\n- slow [pending]\n\nNext: call tool_search and describe what you need.',
    );
  });

  it.each([
    'select:',
    'select: , ',
    `select:${Array.from({ length: 26 }, (_, at) => `t${String(at)}`).join(',')}`,
    'x'.repeat(2001),
  ])('refuses %.20s', async (query) => {
    await expect(callTool(search, { query }, { ports: { catalog: catalog() } })).rejects.toThrow();
  });

  it('has a short description, because every prompt contains it', () => {
    expect(search.description.length).toBeLessThan(700);
  });
});

describe('the other discovery tools', () => {
  it('call_tool reports tools that it cannot call', async () => {
    await expect(callTool(call, { name: 'tool_search' }, { ports: { catalog: catalog() } })).rejects.toThrow(
      "call_tool can't call tool_search",
    );
  });

  it('wait_for_servers returns the status of each server, and does not fail at its timeout', async () => {
    const { data, text } = await callTool(wait, {}, { ports: { catalog: catalog() } });
    expect(data).toMatchObject({
      servers: [{ name: 'slow', status: 'pending', waited_ms: 5 }],
      not_found: ['nobody'],
      all_ready: false,
    });
    expect(text).toContain('- slow [pending]');
  });

  it('discovery_search_tools only searches and activates nothing', async () => {
    const requests: SearchOptions[] = [];
    const { data } = await callTool(
      discover,
      { query: 'x' },
      { ports: { catalog: catalog(answer(), requests) } },
    );
    expect(requests).toMatchObject([{ activate: false, maxResults: 5 }]);
    expect(data).toMatchObject({ tools: [{ name: issue.name, score: 3.2 }], total: 1 });
  });

  it('discovery_load_tools rejects unknown tools', async () => {
    const requests: SearchOptions[] = [];
    const ports = { catalog: catalog(answer({ notFound: ['b'] }), requests) };
    const { data } = await callTool(load, { tool_names: ['a', 'b'] }, { ports });
    expect(requests).toMatchObject([{ query: 'select:a,b', activate: true }]);
    expect(data).toMatchObject({ loaded: [{ name: issue.name }], rejected: ['b'] });
  });

  it('discovery_get_tool_details and discovery_list_servers show tools and servers', async () => {
    const ports = { catalog: catalog() };
    expect((await callTool(details, { tool_name: issue.name }, { ports })).data).toMatchObject({
      name: issue.name,
    });
    await expect(callTool(details, { tool_name: 'none' }, { ports })).rejects.toThrow('Unknown tool: none');
    expect((await callTool(servers, {}, { ports })).data).toMatchObject({ servers: [{ name: 'github' }] });
  });
});
