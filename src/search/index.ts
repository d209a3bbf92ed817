export type { Confidence } from './confidence.js';
export { createHybridSearch, type HybridParts, type HybridSearch } from './hybrid.js';
export type { SynonymClass } from './language.js';
export type { Embedder } from './ports.js';
export { type InvalidQuery, type Need, parseQuery, type Query, queryLimits } from './query.js';
export {
  createToolIndex,
  type Found,
  type Hit,
  type SearchOptions,
  type ToolIndex,
  type ToolIndexParts,
} from './tool-index.js';
export type { ToolText } from './tool-text.js';
