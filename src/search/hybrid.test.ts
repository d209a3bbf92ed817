import { describe, expect, it } from 'vitest';
import {
  createHybridSearch,
  createToolIndex,
  type Embedder,
  type HybridParts,
  type HybridSearch,
  parseQuery,
  type ToolText,
} from './index.js';

const tools: readonly ToolText[] = [
  { id: 'a_one', name: 'one', description: 'Sends a letter.' },
  { id: 'a_two', name: 'two', description: 'Ships a parcel by sea.' },
  { id: 'a_three', name: 'three', description: 'Plays a chime.' },
];
/** Treats "zephyr" and the tool with "sea" as the same thing. */
const likesTheSea: Embedder = {
  embed: async (texts) => texts.map((text) => Float32Array.from(/sea|zephyr/.test(text) ? [1, 0] : [0.1, 1])),
};

async function hybrid(embedder: Embedder, rest: Partial<HybridParts> = {}): Promise<HybridSearch> {
  const search = createHybridSearch({ index: createToolIndex(), embedder, ...rest });
  search.setServer('a', tools);
  await search.search('chime');
  await new Promise((done) => setImmediate(done));
  return search;
}

const lexical = () => {
  const index = createToolIndex();
  index.setServer('a', tools);
  return index;
};

describe('hybrid search', () => {
  it('finds by meaning what no word matches', async () => {
    expect(
      lexical()
        .search('zephyr letter')
        .hits.map(({ id }) => id),
    ).toEqual(['a_one']);
    const { hits } = await (await hybrid(likesTheSea)).search('zephyr letter');
    expect(hits.map(({ id }) => id)).toEqual(['a_one', 'a_two', 'a_three']);
  });

  it('adds to the lexical score without overruling it', async () => {
    const { hits } = await (await hybrid(likesTheSea)).search('zephyr that plays a chime');
    expect(hits[0]?.id).toBe('a_three');
  });

  it('returns no hidden tool, and keeps required words', async () => {
    const search = await hybrid(likesTheSea);
    const found = await search.search('zephyr letter', { visible: new Set(['a_one']) });
    expect(found.hits.map(({ id }) => id)).toEqual(['a_one']);
    const need = parseQuery('zephyr +letter');
    if (need.kind !== 'need') throw new Error('this is a need');
    expect((await search.search(need)).hits.map(({ id }) => id)).toEqual(['a_one']);
  });

  const broken: readonly (readonly [string, Embedder])[] = [
    ['that refuses', { embed: () => Promise.reject(new Error('no')) }],
    ['that throws', { embed: () => fail() }],
    ['that returns too little', { embed: async () => [] }],
    ['that never answers', { embed: () => new Promise(() => undefined) }],
    [
      'that is too slow for a query',
      {
        embed: (texts) =>
          texts.length === 1 ? new Promise(() => undefined) : likesTheSea.embed(texts, signal),
      },
    ],
    [
      'whose vectors differ in length',
      { embed: async (texts) => texts.map((_, at) => new Float32Array(at)) },
    ],
  ];
  it.each(broken)('falls back to the lexical order, with one %s', async (_, embedder) => {
    const search = await hybrid(embedder, { patienceMs: 20 });
    const found = await search.search('play chime');
    expect(found.hits[0]?.id).toBe('a_three');
    search.close();
  });

  it('requests a vector for each text once, and again after a change', async () => {
    const asked: string[] = [];
    const search = await hybrid({
      embed: (texts, given) => {
        asked.push(...texts);
        return likesTheSea.embed(texts, given);
      },
    });
    search.setServer('a', [...tools.slice(0, 2), { id: 'a_three', name: 'three', description: 'Waves.' }]);
    await search.search('chime');
    await new Promise((done) => setImmediate(done));
    expect(asked.filter((text) => text.startsWith('a\n'))).toHaveLength(4);
  });
});

const { signal } = new AbortController();

function fail(): never {
  throw new Error('at once');
}
