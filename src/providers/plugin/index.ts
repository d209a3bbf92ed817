export { openOfferMemory } from './offer-memory.js';
export type { PluginOptions } from './options.js';
export { type OpenPlugins, openPlugins, type PluginMember } from './plugins.js';
export { openPluginProvider, type PluginProvider } from './provider.js';
export { sweepSocketFolders } from './socket-folder.js';
