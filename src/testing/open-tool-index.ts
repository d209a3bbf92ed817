import type { ToolIndex, ToolIndexParts } from '../search/index.js';

/** Opens an empty tool search index, for measuring how it ranks your own tools. */
export async function openToolIndex(parts: ToolIndexParts = {}): Promise<ToolIndex> {
  // Imported on demand, so that users of the fakes don't load it.
  const search = await import('../search/index.js');
  return search.createToolIndex(parts);
}
