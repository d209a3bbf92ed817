export { type Access, createAccess, withToolFilter } from './visible.js';
