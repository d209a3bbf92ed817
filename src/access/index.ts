export { type Access, accessFrom, createAccess, type Visibility, withToolFilter } from './visible.js';
