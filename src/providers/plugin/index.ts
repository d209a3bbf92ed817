export { openOfferMemory } from './offer-memory.js';
export type { PluginOptions } from './options.js';
export { pluginFacts } from './plugin-facts.js';
export { openPlugins, type PluginMember } from './plugins.js';
export { openPluginProvider } from './provider.js';
