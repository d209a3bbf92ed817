export { createMemoryDatabase, type MemoryDatabase } from './memory-database.js';
export { createMemoryStore } from './memory-store.js';
