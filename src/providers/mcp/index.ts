export { openFileMemory } from './memory.js';
export type { KeptCatalogue, UpstreamMemory, UpstreamRecord } from './memory-port.js';
export type { Clock, Log, McpProviderOptions, Transport } from './options.js';
export { openMcpProvider } from './provider.js';
