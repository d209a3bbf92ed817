export { type ActivationSet, tokensIn } from './activation.js';
export { type CatalogParts, createCatalog, type ServerReport } from './catalog.js';
export { digestsOf } from './digest.js';
export { estimateTokens, shownText } from './estimate.js';
export { createLazySurface } from './lazy-surface.js';
export { defaultSurface, type SurfaceSettings } from './settings.js';
export {
  type ActiveTools,
  createEagerSurface,
  type SessionView,
  type Surface,
  type SurfaceFacts,
  type SurfaceWish,
} from './show.js';
export { bridgeName, searchName, serverOf } from './split.js';
