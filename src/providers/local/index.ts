export { createLocalProvider } from './local-provider.js';
