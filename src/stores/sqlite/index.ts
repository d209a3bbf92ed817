export { inspectSqlite } from './inspect.js';
export { openSqliteStore } from './open-sqlite-store.js';
