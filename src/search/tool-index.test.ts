import { describe, expect, it } from 'vitest';
import { createToolIndex, parseQuery, type ToolIndex, type ToolText } from './index.js';

const github: readonly ToolText[] = [
  { id: 'github_create_issue', name: 'create_issue', description: 'Open a new issue in a repository.' },
  {
    id: 'github_create_pull_request',
    name: 'create_pull_request',
    description: 'Propose changes of a branch.',
  },
  { id: 'github_star', name: 'star', description: 'Star it.', searchHints: ['bookmark a favourite'] },
];
const weather: readonly ToolText[] = [
  {
    id: 'weather_forecast',
    name: 'forecast',
    description: 'The weather of the next days.',
    inputSchema: {
      properties: {
        place: { description: 'Name of the town' },
        units: { enum: ['kelvin', 'celsius'] },
        more: { type: 'object', properties: { pollen: { type: 'boolean' } } },
      },
    },
  },
];

function filled(): ToolIndex {
  const index = createToolIndex();
  index.setServer('github', github);
  index.setServer('weather', weather);
  return index;
}

function search(text: string): readonly string[] {
  const query = parseQuery(text);
  if (query.kind !== 'need') throw new Error('this is no need');
  return filled()
    .search(query)
    .hits.map(({ id }) => id);
}

describe('the tool index', () => {
  it.each([
    ['open pull requests', 'github_create_pull_request'],
    ['pullRequest', 'github_create_pull_request'],
    ['PR', 'github_create_pull_request'],
    ['report a bug', 'github_create_issue'],
    ['will it rain tomorrow', 'weather_forecast'],
    ['kelvin', 'weather_forecast'],
    ['pollen', 'weather_forecast'],
    ['forcast', 'weather_forecast'],
    ['reposotiry', 'github_create_issue'],
    ['bookmark', 'github_star'],
  ])('finds for %j %s', (text, id) => {
    expect(search(text)[0]).toBe(id);
  });

  it('finds nothing for an unrelated query', () => {
    expect(filled().search('xylophone')).toEqual({ hits: [], total: 0 });
    expect(createToolIndex().search('weather')).toEqual({ hits: [], total: 0 });
  });

  it('returns only visible tools', () => {
    const found = filled().search('create', { visible: new Set(['github_create_issue', 'unknown']) });
    expect(found.hits.map(({ id }) => id)).toEqual(['github_create_issue']);
    expect(found.total).toBe(1);
  });

  it('forgets a removed server, and finds the new tools of a changed one', () => {
    const index = filled();
    index.removeServer('github');
    expect(index.search('create issue').total).toBe(0);
    index.setServer('weather', [{ id: 'weather_tide', name: 'tide', description: 'High water.' }]);
    expect(index.search('weather').hits.map(({ id }) => id)).toEqual(['weather_tide']);
    expect(index.size).toBe(1);
  });

  it('searches only the server whose name is required', () => {
    expect(search('+weather repository days')).toEqual(['weather_forecast']);
    expect(search('+GitHub weather forecast')).not.toContain('weather_forecast');
  });

  it('returns only tools that have each required word in server, name or description', () => {
    expect(search('create +repositories')).toEqual(['github_create_issue']);
    expect(search('weather +kelvin')).toEqual([]);
  });

  it("uses the operator's synonyms", () => {
    const index = createToolIndex({
      synonyms: [{ words: ['zugriff', 'star'] }, { topic: 'issue', words: ['störung'] }],
    });
    index.setServer('github', github);
    expect(index.search('zugriff').hits[0]?.id).toBe('github_star');
    expect(index.search('störung').hits[0]?.id).toBe('github_create_issue');
  });

  it('is confident if one tool covers the whole query, and not if it covers little', () => {
    expect(filled().search('create pull request').hits[0]?.confidence).toBe('high');
    expect(filled().search('issue a purple passport to the nearest astronaut').hits[0]?.confidence).toBe(
      'low',
    );
  });

  it('breaks ties by server and name', () => {
    const index = createToolIndex();
    for (const server of ['b', 'a']) {
      index.setServer(
        server,
        ['y', 'x'].map((name) => ({ id: `${server}_${name}`, name, description: 'Plays a chime.' })),
      );
    }
    expect(index.search('chime').hits.map(({ id }) => id)).toEqual(['a_x', 'a_y', 'b_x', 'b_y']);
  });

  it('accepts invalid schemas', () => {
    const circular: Record<string, unknown> = { properties: {} };
    circular['properties'] = { self: circular, list: { items: [1] }, none: null, text: 'x' };
    const index = createToolIndex();
    const odd = [circular, null, 'text', 5, [], { properties: [] }, { properties: { a: { enum: 'x' } } }];
    index.setServer(
      'odd',
      odd.map((inputSchema, at) => ({ id: `odd_${at}`, name: 'odd', inputSchema })),
    );
    expect(index.search('odd').total).toBe(odd.length);
  });
});
