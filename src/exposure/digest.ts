import type { ToolSpec } from '../core/index.js';
import { serverOf } from './split.js';

export interface Digest {
  readonly server: string;
  /** Topics of its tools, most frequent first. */
  readonly words: readonly string[];
}

/** Verbs and filler words of tool names, which say nothing about the topic. */
const empty = new Set(
  `get list create update delete add remove set find search fetch read write run make new all by from to of for the in
  on with and or is has info details data tool tools api v1 v2 v3 show view check send post put patch upsert bulk batch
  query start stop close open edit manage mcp`.split(/\s+/),
);

/** A few topic words per server, from its tool names. Deterministic. */
export function digestsOf(tools: readonly ToolSpec[], words: number): readonly Digest[] {
  const servers = new Map<string, ToolSpec[]>();
  for (const tool of tools) {
    const server = serverOf(tool);
    const known = servers.get(server);
    if (known === undefined) servers.set(server, [tool]);
    else known.push(tool);
  }
  return [...servers]
    .map(([server, own]) => ({
      server: plain(server),
      words: words === 0 ? [] : commonest(server, own, words),
    }))
    .sort((a, b) => (a.server < b.server ? -1 : 1));
}

function commonest(server: string, tools: readonly ToolSpec[], count: number): readonly string[] {
  const own = new Set(splitWords(server));
  const seen = new Map<string, number>();
  for (const { localName } of tools) {
    for (const word of new Set(splitWords(localName))) {
      if (!empty.has(word) && !own.has(word) && word.length > 1) seen.set(word, (seen.get(word) ?? 0) + 1);
    }
  }
  return [...seen]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, count)
    .map(([word]) => word);
}

function splitWords(name: string): readonly string[] {
  const parts = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u);
  return parts.filter((part) => part !== '' && part.length <= 24);
}

/** Server names come from the operator, but must still not break a line. */
function plain(name: string): string {
  return name.replace(/[\p{C}\s]+/gu, ' ').slice(0, 64);
}
