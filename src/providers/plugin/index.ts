export { openOfferMemory } from './offer-memory.js';
export type { PluginLimits, PluginOptions } from './options.js';
export { openPluginProvider, type PluginProvider } from './provider.js';
export { sweepSocketFolders } from './socket-folder.js';
