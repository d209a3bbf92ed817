import type { ToolSpec } from '../kernel/index.js';
import { serverOf } from '../surface/index.js';

/** What leads to deferred tools is no tool of a list where nothing is deferred: it is counted apart, under this word. */
const ofSurface = 'surface';
/** What is ours keeps its word: a server or plugin of the same name has its kind before it. */
const ownWords: readonly string[] = ['builtin', 'workspace', ofSurface];

/** How tables name where each of these tools comes from: in one word, unless that word would stand for two. */
export function fromWords(tools: readonly ToolSpec[]): (tool: ToolSpec) => string {
  const sources = new Map<string, Set<string>>();
  for (const { source } of tools)
    sources.set(wordOf(source), sources.get(wordOf(source))?.add(source) ?? new Set([source]));
  return ({ source, reach }) => {
    if (reach === 'open') return ofSurface;
    const word = wordOf(source);
    const isShared = ownWords.includes(word) || (sources.get(word)?.size ?? 0) > 1;
    return isShared ? source : word;
  };
}

function wordOf(source: ToolSpec['source']): string {
  return serverOf({ source });
}
