import { createLanguage, type Language, type SynonymClass } from './language.js';
import { createMembers, type Members } from './members.js';
import { readNeed } from './need.js';
import type { Need } from './query.js';
import { rank, type Ranking } from './rank.js';
import { createSegment, releaseSegment, type Segment } from './segment.js';
import type { ToolText } from './tool-text.js';
import { tuningOf, type Tuning } from './tuning.js';
import { best } from './top.js';
import { createView, type View } from './view.js';
import { createVocabulary } from './vocabulary.js';
import { confidenceOf, type Confidence } from './confidence.js';
import { createReader } from './reader.js';
import { requirement } from './required.js';

/** A search index of tools, kept per server. In memory, and bounded by the catalog. */
export interface ToolIndex {
  /** Adds or replaces the tools of a server. */
  setServer(server: string, tools: readonly ToolText[]): void;
  removeServer(server: string): void;
  /** Ranks the visible tools for a query. Hidden tools never affect the result, not even a score. */
  search(need: Need | string, options?: SearchOptions): Found;
  readonly size: number;
}

export interface SearchOptions {
  /** Ids that the caller can see. Default: all. Reuse the same set, because it is a cache key. */
  readonly visible?: ReadonlySet<string>;
  /** Maximum number of hits. Default: 5. */
  readonly limit?: number;
}

export interface Found {
  readonly hits: readonly Hit[];
  /** Total number of visible matches. */
  readonly total: number;
}

export interface Hit {
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly score: number;
  readonly confidence: Confidence;
}

export interface ToolIndexParts {
  /** Additional synonyms. */
  readonly synonyms?: readonly SynonymClass[];
  /** Use this language instead of `synonyms`; several indexes can share one. */
  readonly language?: Language;
  readonly tuning?: Partial<Tuning>;
}

const keptViews = 8;

interface Opened {
  readonly view: View;
  readonly members: Members;
}

export function createToolIndex(parts: ToolIndexParts = {}): ToolIndex {
  const tuning = tuningOf(parts.tuning);
  const language = parts.language ?? createLanguage(tuning, parts.synonyms);
  const vocabulary = createVocabulary();
  const reader = createReader(language, vocabulary);
  const segments = new Map<string, Segment>();
  const views = new Map<ReadonlySet<string> | undefined, Opened>();
  const open = (visible: ReadonlySet<string> | undefined): Opened => {
    const view = createView(segments.values(), visible, { vocabulary, tuning });
    return { view, members: createMembers({ language, vocabulary, view, tuning }) };
  };
  const viewOf = (visible: ReadonlySet<string> | undefined): Opened => {
    const known = views.get(visible);
    const opened = known ?? open(visible);
    views.delete(visible);
    views.set(visible, opened);
    const [oldest] = views.keys();
    if (views.size > keptViews) views.delete(oldest);
    return opened;
  };
  const removeServer = (server: string): void => {
    const known = segments.get(server);
    if (known === undefined) return;
    releaseSegment(known, vocabulary);
    reader.forget();
    segments.delete(server);
    views.clear();
  };
  return {
    setServer(server, tools) {
      removeServer(server);
      segments.set(server, createSegment(server, tools, reader.open()));
      views.clear();
    },
    removeServer,
    search(need, { visible, limit = 5 } = {}) {
      const { view, members } = viewOf(visible);
      const asked = typeof need === 'string' ? { text: need, required: [] } : need;
      const meets = requirement(asked.required, view, { language, vocabulary });
      const ranking = rank(readNeed(asked.text, { language, members, tuning }), view, tuning);
      return found(ranking, view, { limit, meets });
    },
    get size() {
      let size = 0;
      for (const { ids } of segments.values()) size += ids.length;
      return size;
    },
  };
}

function found(
  { scores, coverage }: Ranking,
  view: View,
  { limit, meets }: { readonly limit: number; readonly meets: (doc: number) => boolean },
): Found {
  // Fetch one more, because the gap to the next hit determines the confidence of the last one.
  const { docs, total } = best(scores, limit + 1, meets);
  const scoreAt = (place: number): number => scores[docs[place] ?? -1] ?? 0;
  const hits = docs.slice(0, limit).map((doc, place) => ({
    id: view.ids[doc] ?? '',
    server: view.servers[doc] ?? '',
    name: view.names[doc] ?? '',
    score: rounded(scores[doc] ?? 0),
    confidence: confidenceOf({
      coverage: coverage[doc] ?? 0,
      share: scoreAt(place) / scoreAt(0),
      next: scoreAt(place + 1) / scoreAt(place),
    }),
  }));
  return { hits, total };
}

const rounded = (score: number): number => Math.round(score * 1000) / 1000;
