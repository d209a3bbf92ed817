export { createMemoryDatabase } from './memory-database.js';
export { createMemoryStore } from './memory-store.js';
