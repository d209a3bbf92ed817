import { describe, expect, it } from 'vitest';
import { splitWords } from './words.js';

describe('the words of a text', () => {
  it.each([
    ['pullRequest', ['pull', 'request']],
    ['GITHUB_create-issue.v2', ['github', 'create', 'issue', 'v2']],
    ['parseHTMLDocument', ['parse', 'html', 'document']],
    ["the user's files don't move", ['the', 'user', 'files', 'dont', 'move']],
    ['GET /tv/{tv_id}/similar', ['get', 'tv', 'tv', 'id', 'similar']],
    ['', []],
    ['+-*/', []],
  ])('of %j are %j', (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it('ignore accents, full-width forms and invisible characters', () => {
    expect(splitWords('Café ｗｅａｔｈｅｒ we\u200bat\u00adher w\u{e0065}eather')).toEqual([
      'cafe',
      'weather',
      'weather',
      'weather',
    ]);
  });

  it('are pairs of characters in scripts without spaces', () => {
    expect(splitWords('天气预报API')).toEqual(['天气', '气预', '预报', 'api']);
  });

  it('are cut when they are very long', () => {
    expect(splitWords('x'.repeat(500))).toEqual(['x'.repeat(40)]);
  });
});
