export { openPostgresStore } from './open-postgres-store.js';
