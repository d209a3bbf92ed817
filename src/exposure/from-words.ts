import type { ToolSpec } from '../core/index.js';
import { serverOf } from './index.js';

/** Label for tool search and `call_tool`, which are counted separately. */
const ofExposure = 'search';
/** Reserved labels: a server or plugin with the same name is shown with its kind. */
const ownWords: readonly string[] = ['builtin', 'workspace', ofExposure];

/** Short source labels for tables; the full source if the short one is ambiguous. */
export function fromWords(tools: readonly ToolSpec[]): (tool: ToolSpec) => string {
  const sources = new Map<string, Set<string>>();
  for (const { source } of tools)
    sources.set(wordOf(source), sources.get(wordOf(source))?.add(source) ?? new Set([source]));
  return ({ source, reach }) => {
    if (reach === 'open') return ofExposure;
    const word = wordOf(source);
    const isShared = ownWords.includes(word) || (sources.get(word)?.size ?? 0) > 1;
    return isShared ? source : word;
  };
}

function wordOf(source: ToolSpec['source']): string {
  return serverOf({ source });
}
