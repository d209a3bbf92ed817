export { openFileMemory } from './memory.js';
export type { UpstreamMemory, UpstreamRecord } from './memory-port.js';
export type { McpProviderOptions } from './options.js';
export { openMcpProvider } from './provider.js';
