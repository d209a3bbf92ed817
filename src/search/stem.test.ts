import { describe, expect, it } from 'vitest';
import { createStemmer } from './stem.js';

const stem = createStemmer(
  new Map([
    ['people', 'person'],
    ['pr', 'pull_request'],
  ]),
);

describe('the stemmer', () => {
  it.each([
    ['repositories', 'repository'],
    ['searching', 'search'],
    ['created', 'creates'],
    ['translation', 'translate'],
    ['cities', 'city'],
    ['weather', 'weather'],
    ['people', 'persons'],
    ['hopping', 'hop'],
    ['generalizations', 'generalize'],
  ])('maps %s and %s to one stem', (one, other) => {
    expect(stem(one)).toBe(stem(other));
  });

  it.each([
    ['universe', 'unit'],
    ['news', 'newt'],
    ['caring', 'car'],
  ])('keeps %s and %s apart', (one, other) => {
    expect(stem(one)).not.toBe(stem(other));
  });

  it('joins two words for one thing, and leaves other scripts unchanged', () => {
    expect(stem('pr')).toBe(stem('pull') + stem('requests'));
    expect(stem('погода')).toBe('погода');
  });
});
