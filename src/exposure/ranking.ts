import type { ToolSpec } from '../core/index.js';
import { serverOf } from './split.js';
import {
  createHybridSearch,
  createToolIndex,
  type Embedder,
  parseQuery,
  type ToolText,
} from '../search/index.js';

export interface Hit {
  readonly tool: ToolSpec;
  readonly score?: number;
  readonly confidence?: 'high' | 'medium' | 'low';
}

export interface Ranked {
  readonly kind: 'empty' | 'select' | 'need';
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly notFound: readonly string[];
}

/** Searches only the given tools. */
export type Rank = (query: string, visible: readonly ToolSpec[], limit: number) => Promise<Ranked>;

export interface RankingParts {
  /** Every tool regardless of access. Returns the same array while nothing has changed. */
  readonly everyTool: () => readonly ToolSpec[];
  readonly hints: Readonly<Record<string, readonly string[]>>;
  readonly synonyms: readonly (readonly string[])[];
  /** Adds semantic search; absent: lexical search only. */
  readonly embedder?: Embedder;
}

const none: Ranked = { kind: 'need', hits: [], total: 0, notFound: [] };

/** An index over all tools, updated per server. */
export function createRanking({ everyTool, hints, synonyms, embedder }: RankingParts): Rank {
  const words = createToolIndex({ synonyms: synonyms.map((own) => ({ words: [...own] })) });
  const index = embedder === undefined ? words : createHybridSearch({ index: words, embedder });
  const idSets = createIdSets();
  let indexed: readonly ToolSpec[] = [];
  let servers: ReadonlyMap<string, readonly ToolSpec[]> = new Map();

  function follow(): void {
    const all = everyTool();
    if (all === indexed) return;
    const now = byServer(all);
    for (const server of servers.keys()) if (!now.has(server)) index.removeServer(server);
    for (const [server, tools] of now) {
      if (!isSame(servers.get(server), tools))
        index.setServer(
          server,
          tools.map((tool) => textOf(tool, hints)),
        );
    }
    indexed = all;
    servers = now;
  }

  return async (query, visible, limit) => {
    const asked = parseQuery(query);
    if (asked.kind === 'empty') return { ...none, kind: 'empty' };
    if (asked.kind === 'select') return selected(asked.names, visible);
    if (asked.kind === 'invalid') return none;
    follow();
    const byId = idSets(visible);
    const { hits, total } = await index.search(asked, { visible: byId.ids, limit });
    const found = hits.flatMap(({ id, score, confidence }): readonly Hit[] => {
      const tool = byId.tools.get(id);
      return tool === undefined ? [] : [{ tool, score: Math.round(score * 1000) / 1000, confidence }];
    });
    return { kind: 'need', hits: found, total, notFound: [] };
  };
}

/** Selects by display name or `server/tool`. Hidden tools are treated like absent ones. */
function selected(names: readonly string[], visible: readonly ToolSpec[]): Ranked {
  const find = (name: string): ToolSpec | undefined =>
    visible.find((tool) => tool.name === name) ??
    visible.find((tool) => `${serverOf(tool)}/${tool.localName}` === name);
  const wanted = [...new Set(names)].map((name) => ({ name, tool: find(name) }));
  const hits = wanted.flatMap(({ tool }) => (tool === undefined ? [] : [{ tool }]));
  const notFound = wanted.flatMap(({ name, tool }) => (tool === undefined ? [name] : []));
  return { kind: 'select', hits, total: hits.length, notFound };
}

interface IdSet {
  readonly ids: ReadonlySet<string>;
  readonly tools: ReadonlyMap<string, ToolSpec>;
}

/** The index caches by set identity, so reuse the same set while it is valid. */
function createIdSets(): (visible: readonly ToolSpec[]) => IdSet {
  let last: { readonly visible: readonly ToolSpec[]; readonly set: IdSet }[] = [];
  return (visible) => {
    const known = last.find((one) => isSame(one.visible, visible));
    if (known !== undefined) return known.set;
    const tools = new Map(visible.map((tool) => [idOf(tool), tool]));
    const set = { ids: new Set(tools.keys()), tools };
    last = [{ visible, set }, ...last].slice(0, 8);
    return set;
  };
}

function byServer(tools: readonly ToolSpec[]): ReadonlyMap<string, readonly ToolSpec[]> {
  const servers = new Map<string, ToolSpec[]>();
  for (const tool of tools) {
    const known = servers.get(serverOf(tool));
    if (known === undefined) servers.set(serverOf(tool), [tool]);
    else known.push(tool);
  }
  return servers;
}

function isSame(a: readonly ToolSpec[] | undefined, b: readonly ToolSpec[]): boolean {
  return a === b || (a?.length === b.length && a.every((tool, at) => tool === b[at]));
}

/** Several servers can offer one name, and a search must not match the text of one that the caller cannot see. */
function idOf({ name, source }: ToolSpec): string {
  return `${name}\n${source}`;
}

function textOf(tool: ToolSpec, hints: RankingParts['hints']): ToolText {
  const { title, description, inputSchema } = tool.definition.value as Readonly<Record<string, unknown>>;
  const searchHints = Object.hasOwn(hints, tool.name) ? hints[tool.name] : undefined;
  return {
    id: idOf(tool),
    name: tool.localName,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema,
    ...(searchHints && { searchHints }),
  };
}
