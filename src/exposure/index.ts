export { tokensIn } from './activation.js';
export { estimateTokens, shownText } from './estimate.js';
export { createLazyExposure } from './lazy-exposure.js';
export type { ExposureSettings } from './settings.js';
export { type ActiveTools, createEagerExposure, type SessionView, type Exposure } from './show.js';
export { callToolName, leadingNames, searchName, serverOf } from './split.js';
export type { CatalogParts, ServerReport } from './catalog.js';
export type { Rank } from './ranking.js';
