export { defenceOf } from './defence.js';
export { sweepDrafts } from './drafts.js';
export { openFiles } from './open-files.js';
export { isProtected, protectedPaths, protectedPlaces } from './protected.js';
