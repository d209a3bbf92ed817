export { tokensIn } from './activation.js';
export { estimateTokens, shownText } from './estimate.js';
export { createLazySurface } from './lazy-exposure.js';
export type { SurfaceSettings } from './settings.js';
export { type ActiveTools, createEagerSurface, type SessionView, type Surface } from './show.js';
export { bridgeName, leadingNames, searchName, serverOf } from './split.js';
export type { CatalogParts, ServerReport } from './catalog.js';
export type { Rank } from './ranking.js';
