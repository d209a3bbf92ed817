import { describe, expect, it } from 'vitest';
import { createToolIndex, parseQuery } from './index.js';

const github = [
  { id: 'github_create_issue', name: 'create_issue', description: 'Open a new issue in a repository.' },
  {
    id: 'github_create_pull_request',
    name: 'create_pull_request',
    description: 'Propose changes of a branch.',
  },
];
const weather = [{ id: 'weather_forecast', name: 'forecast', description: 'The weather of the next days.' }];

function filled() {
  const index = createToolIndex();
  index.setServer('github', github);
  index.setServer('weather', weather);
  return index;
}

const idsOf = (query: string, visible?: ReadonlySet<string>) =>
  filled()
    .search(query, visible === undefined ? {} : { visible })
    .hits.map(({ id }) => id);

describe('the tool index', () => {
  it('finds a tool by several words of its name, in any form', () => {
    expect(idsOf('open pull requests')[0]).toBe('github_create_pull_request');
    expect(idsOf('pullRequest')[0]).toBe('github_create_pull_request');
  });

  it('shows only what is visible', () => {
    expect(idsOf('create', new Set(['github_create_issue']))).toEqual(['github_create_issue']);
  });

  it('finds nothing in a server that is gone', () => {
    const index = filled();
    index.removeServer('github');
    expect(index.search('create issue').total).toBe(0);
    expect(index.size).toBe(1);
  });

  it('keeps to a server whose name is required', () => {
    const query = parseQuery('+weather repository days');
    if (query.kind !== 'need') throw new Error('this is a need');
    expect(
      filled()
        .search(query)
        .hits.map(({ id }) => id),
    ).toEqual(['weather_forecast']);
  });
});
