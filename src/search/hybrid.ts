// Hybrid search: adds the similarity from an embedder to the lexical score. If the embedder is slow, wrong or gone, the
// lexical order is used.
import type { Embedder } from './ports.js';
import type { Need } from './query.js';
import type { Found, Hit, SearchOptions, ToolIndex } from './tool-index.js';
import type { ToolText } from './tool-text.js';
import { createVectors, type Liked } from './vectors.js';

/** A `ToolIndex` that also uses an embedder. `close` aborts its open requests. */
export interface HybridSearch {
  setServer(server: string, tools: readonly ToolText[]): void;
  removeServer(server: string): void;
  search(need: Need | string, options?: SearchOptions): Promise<Found>;
  close(): void;
}

export interface HybridParts {
  readonly index: ToolIndex;
  readonly embedder: Embedder;
  /** How long a search waits for the query vector, in milliseconds. Default: 300. */
  readonly patienceMs?: number;
  /** The weight of similarity in the score. Default: 0.3. */
  readonly weight?: number;
}

export function createHybridSearch({
  index,
  embedder,
  patienceMs = 300,
  weight = 0.3,
}: HybridParts): HybridSearch {
  const vectors = createVectors(embedder);
  return {
    setServer(server, tools) {
      index.setServer(server, tools);
      vectors.setServer(server, tools);
    },
    removeServer(server) {
      index.removeServer(server);
      vectors.removeServer(server);
    },
    async search(need, options = {}) {
      const text = typeof need === 'string' ? need : need.text;
      const isBound = typeof need !== 'string' && need.required.length > 0;
      const liked = await vectors.likeness(text, { patienceMs, ...options });
      if (liked === undefined) return index.search(need, options);
      const lexical = index.search(need, { ...options, limit: Math.max(1, index.size) });
      return fuse(lexical, isBound ? onlyOf(lexical, liked) : liked, { weight, limit: options.limit ?? 5 });
    },
    close: () => vectors.close(),
  };
}

/** Required words are matched lexically only. */
function onlyOf({ hits }: Found, liked: ReadonlyMap<string, Liked>): ReadonlyMap<string, Liked> {
  const ids = new Set(hits.map(({ id }) => id));
  return new Map([...liked].filter(([id]) => ids.has(id)));
}

function fuse(
  lexical: Found,
  liked: ReadonlyMap<string, Liked>,
  { weight, limit }: { readonly weight: number; readonly limit: number },
): Found {
  const top = lexical.hits[0]?.score ?? 0;
  const most = Math.max(0, ...Array.from(liked.values(), ({ likeness }) => likeness));
  const likenessOf = (id: string): number =>
    most > 0 ? Math.max(0, liked.get(id)?.likeness ?? 0) / most : 0;
  const found = new Map(lexical.hits.map((hit) => [hit.id, hit]));
  for (const [id, { server, name, likeness }] of liked) {
    if (likeness > 0 && !found.has(id)) found.set(id, { id, server, name, score: 0, confidence: 'low' });
  }
  const hits = Array.from(found.values(), (hit): Hit => {
    const score = (1 - weight) * (top > 0 ? hit.score / top : 0) + weight * likenessOf(hit.id);
    return { ...hit, score: Math.round(score * 1000) / 1000 };
  });
  hits.sort(
    (a, b) =>
      b.score - a.score || compare(a.server, b.server) || compare(a.name, b.name) || compare(a.id, b.id),
  );
  return { hits: hits.slice(0, limit), total: Math.max(lexical.total, Math.min(limit, hits.length)) };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
