import type { ToolIndex, ToolIndexParts } from '../surface/search/index.js';

/** Opens an empty index of tools, the one behind the search of a gate: to measure how it ranks tools of your own. */
export async function openToolIndex(parts: ToolIndexParts = {}): Promise<ToolIndex> {
  // Late, so that whoever only wants the fakes does not load it.
  const search = await import('../surface/search/index.js');
  return search.createToolIndex(parts);
}
