export { type LoginFiles, loginKey, openLoginFiles } from './login/kept-login.js';
export { LoginFailure } from './login/settings.js';
export type { UpstreamMemory, UpstreamRecord } from './memory-port.js';
export { openFileMemory } from './memory.js';
export type { McpProviderOptions } from './options.js';
export { openMcpProvider } from './provider.js';
