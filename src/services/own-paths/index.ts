export { createOwnPaths } from './own-paths.js';
export type { OwnPlaces, PrivateFile } from './own-places.js';
export { findShakyLink } from './shaky-link.js';
