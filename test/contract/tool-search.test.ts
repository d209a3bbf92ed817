import { openToolIndex } from 'tidegate/testing';
import { describe, expect, it } from 'vitest';
import { score, type ToolSet } from '../../bench/toolsearch/score.mjs';
import { measureStuffing, stuffingWays } from '../../bench/toolsearch/stuffing.mjs';
import { readToolSet } from '../support/test-data.js';

/** What BM25 with FastMCP's fields, tokenizer and constants reaches on all of a set, and where we must not fall back to. */
const sets = [
  { name: 'sealtools-dev', peer: 0.866, least: 0.93 },
  { name: 'metatool-single', peer: 0.38, least: 0.62 },
  { name: 'metatool-multi', peer: 0.265, least: 0.68 },
  { name: 'bfcl-synthetic', peer: 0.818, least: 0.825 },
  { name: 'restbench-tmdb', peer: 0.35, least: 0.56 },
] as const;

describe.each(sets)(
  'the queries of $name, on the built package tidegate/testing',
  ({ name, peer, least }) => {
    const corpus = readToolSet(name);

    it.skipIf(corpus.found === undefined)('are answered better than by plain BM25', async () => {
      const { tools, queries } = corpus.found ?? empty;
      const search = await fill(tools);
      const sum = queries.reduce((total, query) => total + score(search(query.query, 10), query).ndcg10, 0);
      console.log(`${name}: nDCG@10 ${(sum / queries.length).toFixed(3)}, plain BM25 ${peer}`);
      expect(sum / queries.length).toBeGreaterThan(Math.max(peer, least));
    });
  },
);

describe.each(['sealtools-dev', 'bfcl-synthetic'])('hostile tools among those of %s', (name) => {
  const corpus = readToolSet(name);
  const few = { ...(corpus.found ?? empty), queries: (corpus.found ?? empty).queries.slice(0, 200) };

  it.skipIf(corpus.found === undefined).each(stuffingWays)(
    'gain nothing by keyword stuffing: %s',
    async (way) => {
      const { share, loss } = await measureStuffing(few, way, fill);
      expect(share).toBeLessThanOrEqual(0.01);
      expect(loss).toBeLessThanOrEqual(0.005);
    },
  );

  it.skipIf(corpus.found === undefined)('control: would gain if every word counted', async () => {
    const { share } = await measureStuffing(few, 'description', async (tools) => countsWords(tools));
    expect(share).toBeGreaterThan(0.3);
  });
});

const empty: ToolSet = { name: '', tools: [], queries: [] };

async function fill(tools: ToolSet['tools']): Promise<(query: string, k: number) => readonly string[]> {
  const index = await openToolIndex();
  for (const [server, own] of groupedByServer(tools)) index.setServer(server, own);
  return (query, k) => index.search(query, { limit: k }).hits.map(({ id }) => id);
}

function groupedByServer(tools: ToolSet['tools']): ReadonlyMap<string, ToolSet['tools']> {
  const servers = new Map<string, ToolSet['tools'][number][]>();
  for (const tool of tools) {
    const own = servers.get(tool.server);
    if (own === undefined) servers.set(tool.server, [tool]);
    else own.push(tool);
  }
  return servers;
}

/** The control: a ranker without a sense of length. */
function countsWords(tools: ToolSet['tools']): (query: string, k: number) => readonly string[] {
  const texts = tools.map(({ id, name, description }) => ({
    id,
    text: `${name} ${description}`.toLowerCase(),
  }));
  return (query, k) => {
    const words = query.toLowerCase().match(/[a-z]{3,}/g) ?? [];
    const counted = texts.map(({ id, text }) => ({
      id,
      count: words.filter((word) => text.includes(word)).length,
    }));
    return counted
      .toSorted((a, b) => b.count - a.count)
      .slice(0, k)
      .map(({ id }) => id);
  };
}
