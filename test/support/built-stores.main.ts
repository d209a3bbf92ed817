export { createMemoryDatabase, createMemoryStore } from '../../src/stores/memory/index.js';
export { openPostgresStore } from '../../src/stores/postgres/index.js';
export { openSqliteStore } from '../../src/stores/sqlite/index.js';
