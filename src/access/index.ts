export { type Access, createAccess } from './visible.js';
